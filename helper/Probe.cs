using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    internal static class Probe
    {
        // The binder is null if there was no install, the failure if snapshots can be read.
        public static void Write(JsonWriter json, InstallSearch search, Binder binder, StageException failure)
        {
            json.StartObject();
            json.Member("helper_version", Program.Version);
            json.Member("runtime", RuntimeName.Full);
            WriteList(json, "looked_at", search.LookedAt);
            json.Member("installs");
            json.StartArray();
            foreach (var install in search.Found)
            {
                WriteInstall(json, install, install == search.Used);
            }

            json.EndArray();
            json.Member("assemblies");
            json.StartArray();
            foreach (var library in binder?.Libraries ?? new Library[0])
            {
                WriteLibrary(json, library);
            }

            json.EndArray();
            json.Member("members");
            json.StartArray();
            foreach (var lookup in binder?.Lookups ?? new Lookup[0])
            {
                WriteLookup(json, lookup);
            }

            json.EndArray();
            WriteList(json, "warnings", search.Warnings);
            json.Member("error");
            StageException.Write(json, failure);
            json.EndObject();
            json.Flush();
        }

        private static void WriteInstall(JsonWriter json, Install install, bool isUsed)
        {
            json.StartObject();
            json.Member("root", install.Root);
            json.Member("origin", install.Origin);
            json.Member("used", isUsed);
            WriteList(json, "folders", install.Folders);
            json.Member("version", install.Version.ToString());
            json.EndObject();
        }

        private static void WriteLibrary(JsonWriter json, Library library)
        {
            json.StartObject();
            json.Member("name", library.Name);
            json.Member("path", library.Path);
            json.Member("version", library.Assembly?.GetName().Version.ToString());
            json.Member("file_version", library.Path == null ? null : Install.FileVersionOf(library.Path).ToString());
            json.Member("problem", library.Failure?.Message);
            json.EndObject();
        }

        private static void WriteLookup(JsonWriter json, Lookup lookup)
        {
            json.StartObject();
            json.Member("type", lookup.Type);
            json.Member("member", lookup.Member);
            json.Member("assembly", lookup.Assembly?.GetName().Name);
            json.Member("needed_for", NameOf(lookup.Use));
            json.Member("bound", lookup.Problem == null);
            json.Member("problem", lookup.Problem);
            json.EndObject();
        }

        private static string NameOf(Use use)
        {
            return use == Use.Reading ? "reading"
                : use == Use.ReadingLater ? "reading, as far as a snapshot's own types have it"
                : "names of nodes without a signature";
        }

        private static void WriteList(JsonWriter json, string name, IEnumerable<string> values)
        {
            json.Member(name);
            json.StartArray();
            values.ToList().ForEach(json.Value);
            json.EndArray();
        }
    }
}
