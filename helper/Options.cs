using System.Collections.Generic;
using System.Globalization;

namespace Dotspot.Dtp
{
    internal sealed class Options
    {
        public const string Help =
@"dotspot-dtp: reads a dotTrace snapshot with the libraries of an installed dotTrace or Rider, and writes its call tree as JSON

Usage: dotspot-dtp SNAPSHOT [--dottrace-dir DIR] [--output FILE]
       dotspot-dtp --probe [--dottrace-dir DIR]

  SNAPSHOT            the index of the snapshot (snap.dtp); its sections lie beside it
  --dottrace-dir DIR  the install, or the folder in it that holds the libraries; no other place is looked at
  --output FILE       write to FILE, whole or not at all (default: standard output)
  --probe             report as JSON which folders, assemblies, types and members were found; read no snapshot
  --max-depth N       give up on a tree that is deeper (default: 2000000)
  --max-nodes N       give up on a tree that has more nodes (default: 200000000)
  --help, --version

The environment variable JETBRAINS_PROFILER_PATH names a folder to look in before the usual places.
A failure is told in the last line of standard error, {""error"":{""stage"",""message"",""detail""}}, and by the exit code:
input 10, layout 11, decoder 12, bind 15, metadata 16, walk 17, output 18.
";

        // This is null only for a probe, help or the version.
        public string Snapshot { get; private set; }

        // No other place is searched unless this is null.
        public string DotTraceFolder { get; private set; }

        // Null stands for standard output.
        public string OutputFile { get; private set; }

        public bool IsProbe { get; private set; }

        public bool WantsHelp { get; private set; }

        public bool WantsVersion { get; private set; }

        // Real trees have depths of about ten thousand; a chain of a million is read.
        public long MaxDepth { get; private set; } = 2000000;

        // As JSON, this many nodes take about 25 GB.
        public long MaxNodes { get; private set; } = 200000000;

        public static Options Parse(IReadOnlyList<string> arguments)
        {
            var options = new Options();
            for (var i = 0; i < arguments.Count; i++)
            {
                switch (arguments[i])
                {
                    case "--help":
                    case "-h":
                        options.WantsHelp = true;
                        break;
                    case "--version":
                        options.WantsVersion = true;
                        break;
                    case "--probe":
                        options.IsProbe = true;
                        break;
                    case "--dottrace-dir":
                        options.DotTraceFolder = ValueOf(arguments, ref i);
                        break;
                    case "--output":
                        options.OutputFile = ValueOf(arguments, ref i);
                        break;
                    case "--max-depth":
                        options.MaxDepth = NumberOf(arguments, ref i);
                        break;
                    case "--max-nodes":
                        options.MaxNodes = NumberOf(arguments, ref i);
                        break;
                    default:
                        options.TakeSnapshot(arguments[i]);
                        break;
                }
            }

            if (options.Snapshot == null && !options.IsProbe && !options.WantsHelp && !options.WantsVersion)
            {
                throw Wrong("the command line names no snapshot");
            }

            return options;
        }

        private void TakeSnapshot(string argument)
        {
            if (argument.StartsWith("-", System.StringComparison.Ordinal))
            {
                throw Wrong($"the option {argument} is unknown");
            }

            if (Snapshot != null)
            {
                throw Wrong($"the command line names two snapshots, {Snapshot} and {argument}");
            }

            Snapshot = argument;
        }

        private static string ValueOf(IReadOnlyList<string> arguments, ref int i)
        {
            var option = arguments[i];
            i++;
            return i < arguments.Count && arguments[i] != "" ? arguments[i] : throw Wrong($"the option {option} needs a value");
        }

        private static long NumberOf(IReadOnlyList<string> arguments, ref int i)
        {
            var option = arguments[i];
            var value = ValueOf(arguments, ref i);
            return long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0
                ? number
                : throw Wrong($"the option {option} needs a number above 0, not {value}");
        }

        private static StageException Wrong(string problem)
        {
            return new StageException(Stage.Input, problem + "; dotspot-dtp --help lists what there is");
        }
    }
}
