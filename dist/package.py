#!/usr/bin/env python3
"""Writes everything that a release publishes, from built programs: archives with SHA256SUMS, .deb, npm and NuGet packages
(a .NET tool), a Homebrew formula, Scoop and winget manifests. Needs Python 3.11 and, for .deb, cargo-deb.

dist/package.py --matrix                                         the targets as JSON, for the release workflow
dist/package.py PROGRAMS OUT --run PROGRAM [--repository URL]    PROGRAMS has TRIPLE/dotspot or TRIPLE/dotspot.exe"""
import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "dist/templates"
PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
TABLE = tomllib.loads((ROOT / "dist/targets.toml").read_text())
VERSION = PACKAGE["version"]
# the same input yields the same bytes; zip has no times before 1980
TIME = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)
PAGES = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]
COMPLETIONS = {"bash": "dotspot.bash", "zsh": "_dotspot", "fish": "dotspot.fish", "powershell": "_dotspot.ps1", "nushell": "dotspot.nu"}


def fill(name, values):
    """A template with a value for each {{word}}."""
    return re.sub(r"\{\{(.+?)\}\}", lambda found: values[found[1]], (TEMPLATES / name).read_text())


def mode(name):
    return 0o755 if name.rsplit("/", 1)[-1] in ("dotspot", "dotspot.exe", "dotspot.js") else 0o644


def write_tar(path, files):
    """A .tar.gz of files: bytes by name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(data), TIME, mode(name)
            tar.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=TIME))


def write_zip(path, files):
    """A zip of files: bytes by name, with Unix permissions, which .NET tools need there."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(TIME)[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | mode(name)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data)


def written_by(program, out):
    """The man pages and completions that a program writes, below `out`: bytes by name."""
    (out / "man").mkdir(parents=True)
    (out / "completions").mkdir()
    subprocess.run([program, "man", out / "man"], check=True, stdout=subprocess.DEVNULL)
    for shell, name in COMPLETIONS.items():
        text = subprocess.run([program, "completions", shell], check=True, capture_output=True).stdout
        (out / "completions" / name).write_bytes(text)
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.glob("*/*"))}


def archives(targets, extras, out):
    """An archive for each target, and what manifests say about it: URL, checksum and folder by the channels' names for it."""
    known = {}
    for target in targets:
        folder = f"dotspot-{VERSION}-{target['triple']}"
        files = {target["file"]: target["program"]} | {name: (ROOT / name).read_bytes() for name in PAGES} | extras
        files = {f"{folder}/{name}": data for name, data in files.items()}
        path = out / (folder + (".zip" if "windows" in target else ".tar.gz"))
        (write_zip if "windows" in target else write_tar)(path, files)
        for name in filter(None, (target.get("brew"), target.get("windows"))):
            known[f"url {name}"] = f"{TABLE['repository']}/releases/download/v{VERSION}/{path.name}"
            known[f"sha256 {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
            known[f"SHA256 {name}"] = known[f"sha256 {name}"].upper()
            known[f"folder {name}"] = folder
    return known


def manifests(values, out):
    """Homebrew, Scoop and winget manifests; one that names a missing target is skipped."""
    identity = TABLE["winget"]
    winget = {f"winget/{identity}{end}": f"winget{end}" for end in (".yaml", ".installer.yaml", ".locale.en-US.yaml")}
    for name, template in ({"homebrew/dotspot.rb": "dotspot.rb", "scoop/dotspot.json": "scoop.json"} | winget).items():
        try:
            text = fill(template, values)
        except KeyError as missing:
            print(f"SKIPPED {name}: nothing is known about {missing}")
            continue
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text, newline="\n")


def npm(targets, values, out):
    """A package for each supported system, and one that requires them all optionally, so npm installs the matching one."""
    scope = TABLE["npm-scope"]
    common = {key: values[key] for key in ("version", "license")} | {"repository": values["repository"]}
    common["author"] = TABLE["author"]
    packages = {}
    for target in (target for target in targets if "npm" in target):
        name = f"{scope}/{target['npm']}"
        system, processor = target["npm"].split("-")
        about = {"name": name} | common | {"description": f"dotspot for {target['triple']}", "os": [system], "cpu": [processor]}
        packages[name] = {"package.json": about, target["file"]: target["program"]}
    about = {"name": "dotspot"} | common | {"description": values["description"], "keywords": PACKAGE["keywords"]}
    about |= {"bin": {"dotspot": "dotspot.js"}, "engines": {"node": ">=18"}}
    about["optionalDependencies"] = dict.fromkeys(packages, VERSION)
    packages["dotspot"] = {"package.json": about, "dotspot.js": fill("launcher.js", {"scope": scope}).encode()}
    (out / "npm").mkdir()
    for name, files in packages.items():
        files["package.json"] = json.dumps(files["package.json"], indent=2).encode()
        files |= {page: (ROOT / page).read_bytes() for page in (PAGES if name == "dotspot" else PAGES[1:])}
        file = name.removeprefix("@").replace("/", "-")
        write_tar(out / f"npm/{file}-{VERSION}.tgz", {f"package/{name}": data for name, data in files.items()})


def nuget(targets, values, out):
    """A .NET tool, packaged as .NET 10 does for native programs: a pointer package, whose settings list a package for each system,
    and those packages, whose settings name the program.
    <https://learn.microsoft.com/dotnet/core/tools/rid-specific-tools>"""
    targets = [target for target in targets if "nuget" in target]
    systems = "".join(f'<RuntimeIdentifierPackage RuntimeIdentifier="{it["nuget"]}" Id="dotspot.{it["nuget"]}" />' for it in targets)
    pointer = f'<Command Name="dotspot" /></Commands><RuntimeIdentifierPackages>{systems}</RuntimeIdentifierPackages>'
    packages = [("dotspot", "DotnetTool", "tools/any/any", pointer, {})]
    for target in targets:
        command = f'<Command Name="dotspot" EntryPoint="{target["file"]}" Runner="executable" /></Commands>'
        folder = f"tools/any/{target['nuget']}"
        program = {f"{folder}/{target['file']}": target["program"]}
        packages.append((f"dotspot.{target['nuget']}", "DotnetToolRidPackage", folder, command, program))
    (out / "nuget").mkdir()
    head = '<?xml version="1.0" encoding="utf-8"?>'
    for name, kind, folder, settings, program in packages:
        files = {
            "[Content_Types].xml": f'{head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            + "".join(f'<Default Extension="{end}" ContentType="application/octet" />' for end in ("nuspec", "md", "xml", "exe"))
            + '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />'
            + "".join(f'<Override PartName="/{part}" ContentType="application/octet" />' for part in PAGES[1:])
            + "".join(f'<Override PartName="/{part}" ContentType="application/octet" />' for part in program)
            + "</Types>",
            "_rels/.rels": f'{head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
            + f'Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/{name}.nuspec" Id="manifest" /></Relationships>',
            f"{name}.nuspec": fill("nuspec.xml", values | {"id": name, "type": kind}),
            f"{folder}/DotnetToolSettings.xml": f'{head}<DotNetCliTool Version="2"><Commands>{settings}</DotNetCliTool>',
        }
        files |= {page: (ROOT / page).read_bytes() for page in PAGES} | program
        write_zip(out / f"nuget/{name}.{VERSION}.nupkg", files)


def debs(targets, extras, out):
    """.deb packages by cargo-deb. The files listed in Cargo.toml are put where a build would leave them."""
    for target in (target for target in targets if "deb" in target):
        stage = out / "work" / target["triple"] / "release"
        for name, data in ({target["file"]: target["program"]} | extras).items():
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_bytes(data)
        (stage / target["file"]).chmod(0o755)
        command = ["cargo", "deb", "--no-build", "--no-strip", "--target", target["triple"]]
        command += ["--output", out / f"dotspot_{VERSION}_{target['deb']}.deb"]
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(out / "work")})
    shutil.rmtree(out / "work", ignore_errors=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, metavar="PROGRAMS")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT", help="a folder that is not there yet")
    parser.add_argument("--run", type=pathlib.Path, required=True, metavar="PROGRAM", help="a dotspot that runs here")
    parser.add_argument("--repository", default=PACKAGE.get("repository"), metavar="URL", help="where the archives will be")
    parser.add_argument("--only", action="append", metavar="TRIPLE", help="pack this target; otherwise, all must be there")
    parser.add_argument("--no-deb", action="store_true")
    options = parser.parse_args()
    if not options.repository:
        parser.error("Cargo.toml names no repository: --repository says where the archives will be")
    return options


def main():
    if sys.argv[1:] == ["--matrix"]:
        print(json.dumps({"include": TABLE["target"]}))
        return
    options = arguments()
    targets = [target for target in TABLE["target"] if not options.only or target["triple"] in options.only]
    for target in targets:
        target["file"] = "dotspot.exe" if "windows" in target else "dotspot"
        path = options.programs / target["triple"] / target["file"]
        if not path.is_file():
            sys.exit(f"{path} is missing: build {target['triple']}, or name the targets that are there with --only")
        target["program"] = path.read_bytes()
    TABLE["repository"] = options.repository.removesuffix("/").removesuffix(".git")
    values = {key: PACKAGE[key] for key in ("version", "description", "license")}
    values |= {key: TABLE[key] for key in ("author", "winget", "repository")}

    out = options.out.resolve()
    out.mkdir(parents=True)
    extras = written_by(options.run.resolve(), out / "work")
    shutil.rmtree(out / "work")
    manifests(values | archives(targets, extras, out), out)
    npm(targets, values, out)
    nuget(targets, values, out)
    if options.no_deb:
        print("SKIPPED .deb: --no-deb")
    else:
        debs(targets, extras, out)
    # for direct downloads; registries have their own checksums
    files = sorted(path for path in out.iterdir() if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(sums), newline="\n")
    print("".join(sums), end="")


main()
