#!/usr/bin/env node
// Runs the dotspot of this system, which npm installed as an optional dependency.
"use strict";
const { spawn } = require("node:child_process");

const system = `{{scope}}/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "dotspot.exe" : "dotspot";
let program;
try {
  program = require.resolve(`${system}/${file}`);
} catch {
  console.error(
    `dotspot: there is no ${system} beside this package; ` +
      "install again without --omit=optional, or, if this system has none, build it with cargo install dotspot",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// a terminal sends ctrl-c to both: dotspot decides what it means
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`dotspot: ${program} can't be run: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
