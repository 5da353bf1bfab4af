using System;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace Dotspot.Dtp
{
    /// <summary>Reads a dotTrace snapshot with JetBrains' own libraries and writes its call tree as JSON.</summary>
    internal static class Program
    {
        /// <summary>The version of this program, that of the dotspot that it belongs to.</summary>
        public static readonly string Version = typeof(Program).Assembly.GetName().Version.ToString(3);

        /// <summary>The runtime that runs it.</summary>
        public static readonly string Runtime = RuntimeInformation.FrameworkDescription;

        /// <summary>The stage that is on, for failures that nobody foresaw.</summary>
        private static Stage stage = Stage.Input;

        private static int Main(string[] arguments)
        {
            // what the libraries print must not end up within the JSON
            Console.SetOut(Console.Error);
            var code = Run(arguments);
            // threads that the libraries left running would keep the process alive
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
            var search = Locate.Search(options.DotTraceFolder, Machine.Current());
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
                    var json = new JsonWriter(output.Write);
                    var writer = new TreeWriter(reader, new Names(reader, metadata, frames), frames, session, options, json);
                    writer.ReadThreads();
                    writer.Write(file, DecoderVersion(binder), search.Warnings);
                    output.Commit();
                }
            }
        }

        /// <summary>Prints what <c>--probe</c> asks for, and fails if a snapshot could not be read.</summary>
        private static void Report(Options options)
        {
            stage = Stage.Bind;
            var search = Locate.Search(options.DotTraceFolder, Machine.Current());
            Binder binder = null;
            StageException failure = null;
            try
            {
                binder = new Binder(search.Require());
                NodeReader.Probe(binder, new Bindings(binder).Root?.PropertyType);
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

        private static string DecoderVersion(Binder binder)
        {
            var central = binder.Libraries.First(each => each.Name == Contract.CentralAssembly);
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
            var stream = Console.OpenStandardError();
            var json = new JsonWriter((bytes, count) => stream.Write(bytes, 0, count));
            json.StartObject();
            json.Member("error");
            Probe.WriteError(json, failure);
            json.EndObject();
            json.Flush();
            stream.WriteByte((byte)'\n');
            stream.Flush();
            return (int)failure.Stage;
        }
    }
}
