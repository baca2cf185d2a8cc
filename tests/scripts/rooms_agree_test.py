#!/usr/bin/env python3
"""The tables of scripts/check_includes.py, src/CMakeLists.txt and docs/architecture.md say the same, of all wings and rooms."""
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


def checker():
    spec = importlib.util.spec_from_file_location("check_includes", ROOT / "scripts" / "check_includes.py")
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def table_of_the_checker():
    return checker().MAY_INCLUDE


class RoomsAgree(unittest.TestCase):
    def test_every_room_uses_in_cmake_what_it_may_include(self):
        in_cmake = {}
        text = re.sub(r"#.*", "", (ROOT / "src" / "CMakeLists.txt").read_text())
        for call in re.findall(r"espalier_(?:mpi_)?room\(([^)]*)\)", text):
            name, *words = call.split()
            uses = words[words.index("USES") + 1:] if "USES" in words else []
            if "LINKS" in uses:
                uses = uses[:uses.index("LINKS")]
            in_cmake[name] = set(uses)
        self.assertGreater(len(in_cmake), 1)
        # The front is a library by itself (espalier_front): rooms include its headers and link with nothing of it.
        rooms = {room: uses - {"front"} for room, uses in table_of_the_checker().items() if room != "front"}
        self.assertEqual(in_cmake, rooms)

    def test_the_document_names_the_same_rooms_and_includes(self):
        rooms = table_of_the_checker()
        folders = {path.name for path in (ROOT / "src").glob("*/*") if path.is_dir()}
        self.assertEqual(set(rooms), folders)
        rows = re.findall(r"^\| `([a-z_]+)` \| .* \| ([a-z_ -]+) \|$", (ROOT / "docs" / "architecture.md").read_text(), re.M)
        for room, others in rows:
            with self.subTest(room=room):
                named = set(others.replace("-", "").split())
                if {"all", "above", "but"} <= named:
                    named = set(rooms) - named - {room}
                self.assertEqual(named, rooms[room])
        self.assertEqual([room for room, _ in rows], list(rooms))


    def test_every_room_stands_in_its_wing(self):
        text = re.sub(r"#.*", "", (ROOT / "src" / "CMakeLists.txt").read_text())
        in_cmake, wing = {}, ""
        for kind, name in re.findall(r"espalier_(wing|room|mpi_room)\((\w+)", text):
            wing = name if kind == "wing" else wing
            in_cmake.setdefault(wing, []).extend([name] if kind != "wing" else [])
        wings = {name: [room for room in rooms if room != "front"] for name, rooms in checker().WINGS.items()}
        self.assertEqual(in_cmake, wings)
        named = re.search(r"set\(ESPALIER_WINGS ([a-z ]+)\)", (ROOT / "cmake" / "Room.cmake").read_text()).group(1)
        self.assertEqual(named.split(), list(checker().WINGS))
        folders = {path.name: {room.name for room in path.iterdir() if room.is_dir()}
                   for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertEqual(folders, {name: set(rooms) for name, rooms in checker().WINGS.items()})

    def test_a_wing_includes_no_wing_below(self):
        place = {room: at for at, rooms in enumerate(checker().WINGS.values()) for room in rooms}
        for room, others in table_of_the_checker().items():
            self.assertEqual([other for other in others if place[other] > place[room]], [])


if __name__ == "__main__":
    unittest.main()
