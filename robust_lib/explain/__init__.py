"""Why a network says what it says: pictures changed in one respect, and what changes then."""
