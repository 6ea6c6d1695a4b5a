"""The web application's table of roles and permissions is the engine's, PERMISSION_MAP of src/access/permit/permission.h."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from xmacro import rows_of  # noqa: E402

ROLES = [row[1] for row in rows_of("access/permit/permission.h", "ROLE_MAP")]
# Words that need no role, or that no route has.
UNSAID = {"none", "open", "data", "self"}
TABLE = (ROOT / "web/src/ui/permissions.ts").read_text()


class PermissionWords(unittest.TestCase):
    def test_the_roles_are_the_same(self):
        said = re.search(r"ROLES = \[(.*?)\]", TABLE, re.S).group(1)
        self.assertEqual(re.findall(r"'(\w+)'", said), ROLES)

    def test_each_permission_has_the_same_roles(self):
        rows = rows_of("access/permit/permission.h", "PERMISSION_MAP")
        wanted = {
            word: [role for role in ROLES if role[0] in letters]
            for _, word, letters in rows
            if word not in UNSAID
        }
        lines = re.findall(r"'(\w+:\w+)': \[(.*?)\],", TABLE)
        self.assertEqual({word: re.findall(r"'(\w+)'", roles) for word, roles in lines}, wanted)


if __name__ == "__main__":
    unittest.main()
