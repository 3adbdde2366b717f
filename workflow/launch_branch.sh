#!/usr/bin/env bash
# Add notebooks to the branch from which Colab opens them, which only opens what is in a repository:
#
#     launch_branch.sh FOLDER [REMOTE]
#
# What the branch holds of other commits stays, so that the buttons of an older site still work.
set -euo pipefail
folder=$(cd "$1" && pwd)
remote=${2:-origin}
branch=launch
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
export GIT_INDEX_FILE="$aside/index"
parent=()
if git fetch --quiet "$remote" "$branch" 2> /dev/null; then
  git read-tree FETCH_HEAD
  parent=(-p FETCH_HEAD)
fi
git --work-tree="$folder" add --force --ignore-removal .
GIT_AUTHOR_NAME=$(git log -1 --format=%an)
GIT_AUTHOR_EMAIL=$(git log -1 --format=%ae)
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
made=$(git commit-tree "$(git write-tree)" ${parent[@]+"${parent[@]}"} -m "Notebooks to launch")
git push --quiet "$remote" "$made:refs/heads/$branch"
