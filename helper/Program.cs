using System;
using System.IO;
using System.Linq;
using System.Text;

namespace Dotspot.Dtp
{
    internal static class Program
    {
        // This is also the version of dotspot.
        public static readonly string Version = typeof(Program).Assembly.GetName().Version.ToString(3);

        // Unforeseen failures are reported with this stage.
        private static Stage stage = Stage.Input;

        private static readonly ErrorStream Printed = new ErrorStream(Console.Error);

        private static int Main(string[] arguments)
        {
            // output of the libraries must not get into the JSON, after the error or on its line
            Console.SetOut(Printed);
            Console.SetError(Printed);
            var code = Run(arguments);
            // threads left running by the libraries would keep the process alive
            Environment.Exit(code);
            return code;
        }

        private static int Run(string[] arguments)
        {
            try
            {
                var options = Options.Parse(arguments);
                if (options.WantsHelp || options.WantsVersion)
                {
                    Print(options.WantsHelp ? Options.Help : $"dotspot-dtp {Version}\n");
                }
                else if (options.IsProbe)
                {
                    Report(options);
                }
                else
                {
                    Decode(options);
                }

                return 0;
            }
            catch (ClosedPipeException)
            {
                return 0;
            }
            catch (StageException e)
            {
                return Fail(e);
            }
            catch (Exception e)
            {
                var problem = $"something unforeseen happened: {Reflect.Describe(e)}; please report it to dotspot's developers";
                return Fail(new StageException(stage, problem, e));
            }
        }

        private static void Decode(Options options)
        {
            var file = SnapshotFile.Open(options.Snapshot);
            stage = Stage.Decoder;
            var search = InstallSearch.Run(options.DotTraceFolder, Machine.Current());
            var install = search.Require();
            stage = Stage.Bind;
            var binder = new Binder(install);
            var bindings = new Bindings(binder);
            binder.Require(Use.Reading);
            stage = Stage.Layout;
            using (var session = Session.Open(file, bindings, binder))
            {
                var frames = new Frames();
                var reader = new NodeReader(binder);
                var metadata = new MetadataNames(binder);
                metadata.Attach(session.Parts);
                stage = Stage.Walk;
                using (var output = options.OutputFile == null ? Output.ToStandardOutput() : Output.ToFile(options.OutputFile))
                {
                    var names = new Names(reader, metadata, frames);
                    var walker = new TreeWalker(reader, names, binder, options);
                    // the times of all threads are written before the tree
                    walker.ReadThreads(session.Root);
                    var writer = new TreeWriter(walker, frames, session.TicksPerSecond, new JsonWriter(output.Write));
                    writer.Write(file, DecoderVersion(binder), search.Warnings);
                    names.Check();
                    output.Commit();
                }
            }
        }

        // A probe prints its report even if it then fails.
        private static void Report(Options options)
        {
            stage = Stage.Bind;
            var search = InstallSearch.Run(options.DotTraceFolder, Machine.Current());
            Binder binder = null;
            StageException failure = null;
            try
            {
                binder = new Binder(search.Require());
                NodeReader.Probe(binder, DeclaredRoot(binder));
                new MetadataNames(binder);
                binder.Require(Use.Reading);
            }
            catch (StageException e)
            {
                failure = e;
            }

            using (var output = Output.ToStandardOutput())
            {
                Probe.Write(new JsonWriter(output.Write), search, binder, failure);
            }

            if (failure != null)
            {
                throw failure;
            }
        }

        private static Type DeclaredRoot(Binder binder)
        {
            var root = new Bindings(binder).Root;
            return root == null ? null : Reflect.TypeOf(root);
        }

        private static string DecoderVersion(Binder binder)
        {
            var central = binder.Libraries.First(library => library.Name == Contract.CentralAssembly);
            return central.Assembly == null
                ? $"dotspot-dtp {Version}"
                : $"dotspot-dtp {Version}, {central.Name} {Install.FileVersionOf(central.Path)}";
        }

        private static void Print(string text)
        {
            using (var output = Output.ToStandardOutput())
            {
                var bytes = Encoding.UTF8.GetBytes(text);
                output.Write(bytes, bytes.Length);
            }
        }

        private static int Fail(StageException failure)
        {
            Console.SetOut(TextWriter.Null);
            Console.SetError(TextWriter.Null);
            Printed.Flush();
            var stream = Console.OpenStandardError();
            if (!Printed.IsAtStartOfLine)
            {
                stream.WriteByte((byte)'\n');
            }

            var json = new JsonWriter((bytes, count) => stream.Write(bytes, 0, count));
            json.StartObject();
            json.Member("error");
            StageException.Write(json, failure);
            json.EndObject();
            json.Flush();
            stream.WriteByte((byte)'\n');
            stream.Flush();
            return (int)failure.Stage;
        }
    }
}
