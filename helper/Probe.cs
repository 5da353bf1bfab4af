using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>Reports what was found, as JSON, for <c>--probe</c>.</summary>
    internal static class Probe
    {
        /// <summary>Writes the report.</summary>
        /// <param name="json">Where to.</param>
        /// <param name="search">The places.</param>
        /// <param name="binder">The look-ups, or null if there was nothing to look in.</param>
        /// <param name="failure">What keeps snapshots from being read, or null.</param>
        public static void Write(JsonWriter json, Locate search, Binder binder, StageException failure)
        {
            json.StartObject();
            json.Member("helper_version", Program.Version);
            json.Member("runtime", Program.Runtime);
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
            WriteError(json, failure);
            json.EndObject();
            json.Flush();
        }

        /// <summary>Writes a failure as a value; null if there is none.</summary>
        public static void WriteError(JsonWriter json, StageException failure)
        {
            if (failure == null)
            {
                json.Value(null);
                return;
            }

            json.StartObject();
            json.Member("stage", failure.Stage.ToString().ToLowerInvariant());
            json.Member("message", failure.Message);
            json.Member("detail", failure.Detail);
            json.EndObject();
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
            json.Member("needed_for", lookup.Use == Use.Reading ? "reading" : "names of nodes without a signature");
            json.Member("bound", lookup.Problem == null);
            json.Member("problem", lookup.Problem);
            json.EndObject();
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
