# Checks notebooks against their format's schema, and that every attachment that a cell names is there:
#
#   python3 notebook_check.py NOTEBOOK…
#
# Exits with 77 where there is no nbformat (Debian's python3-nbformat).
import re
import sys

try:
    import nbformat
except ImportError:
    print("nbformat is not installed")
    sys.exit(77)

for path in sys.argv[1:]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    kinds = [cell.cell_type for cell in notebook.cells]
    assert "markdown" in kinds and "code" in kinds, f"{path}: {kinds}"
    for cell in notebook.cells:
        named = re.findall(r"\]\(attachment:([^)]*)\)", cell.source) if cell.cell_type == "markdown" else []
        assert set(named) <= set(cell.get("attachments", {})), f"{path}: {cell.id} names {named}"
    print(f"{path}: {len(kinds)} cells")
