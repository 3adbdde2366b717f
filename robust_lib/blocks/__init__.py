"""What a notebook cell shows: figures, tables, verdicts and controls as self-contained HTML."""

from robust_lib.blocks.item import block as block
from robust_lib.blocks.markup import Html as Html
from robust_lib.blocks.svg import INK as INK
from robust_lib.blocks.svg import theme_svg as theme_svg
from robust_lib.blocks.table import table as table
from robust_lib.blocks.verdicts import VERDICTS as VERDICTS
from robust_lib.blocks.verdicts import chip as chip
from robust_lib.blocks.verdicts import overall as overall
from robust_lib.blocks.verdicts import tally as tally
