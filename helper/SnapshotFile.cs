using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Dotspot.Dtp
{
    // This runs before JetBrains' libraries are loaded, and reports the problems that a user can fix.
    internal sealed class SnapshotFile
    {
        private static readonly byte[] ManyFiles = Encoding.ASCII.GetBytes("MFDTPF");

        // dotTrace's window saves a performance snapshot as one file.
        private static readonly byte[] OneFile = { 0xEE, (byte)'G', (byte)'D', (byte)'T', (byte)'P', (byte)'F' };

        private static readonly byte[] Timeline = Encoding.ASCII.GetBytes("MFDTEM");

        // Other files that are taken for snapshots start like this.
        private static readonly KeyValuePair<byte[], string>[] OtherKinds =
        {
            Kind("PK\x03\x04", "a zip archive"),
            Kind("\x1F\x8B", "a gzip file"),
            Kind("Nettrace", "a recording of dotnet-trace"),
            Kind("{", "JSON"),
            Kind("<", "XML"),
            Kind("\xEF\xBB\xBF<", "XML"),
        };

        private SnapshotFile(string path, bool isTimeline)
        {
            Path = path;
            IsTimeline = isTimeline;
        }

        public string Path { get; }

        public bool IsTimeline { get; }

        // Nothing documented about the libraries distinguishes sampling from tracing; dotspot can read it in the
        // snapshot itself.
        public string PayloadType => IsTimeline ? "timeline" : "unknown";

        public static SnapshotFile Open(string path)
        {
            var head = ReadHead(path);
            if (StartsWith(head, OneFile))
            {
                return new SnapshotFile(path, isTimeline: false);
            }

            var isTimeline = StartsWith(head, Timeline);
            if (!isTimeline && !StartsWith(head, ManyFiles))
            {
                throw new StageException(Stage.Input, NotAnIndex(path, head));
            }

            if (!ExistsIgnoringCase(path + ".0000"))
            {
                var name = System.IO.Path.GetFileName(path);
                throw new StageException(
                    Stage.Input,
                    $"the sections {name}.0000… are missing beside {path}; copy all files whose names start with {name}");
            }

            return new SnapshotFile(path, isTimeline);
        }

        private static byte[] ReadHead(string path)
        {
            try
            {
                if (Directory.Exists(path))
                {
                    throw new StageException(Stage.Input, $"{path} is a folder; give the .dtp file in it");
                }

                using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite))
                {
                    var head = new byte[64];
                    var count = 0;
                    for (var read = -1; read != 0 && count < head.Length; count += read)
                    {
                        read = file.Read(head, count, head.Length - count);
                    }

                    Array.Resize(ref head, count);
                    return head;
                }
            }
            catch (Exception e) when (e is FileNotFoundException || e is DirectoryNotFoundException)
            {
                throw new StageException(Stage.Input, $"there is no file {path}; check the path", e);
            }
            catch (Exception e) when (Files.IsFailure(e))
            {
                throw new StageException(
                    Stage.Input, $"{path} can't be read: {e.Message.TrimEnd('.')}; check the path and its permissions", e);
            }
        }

        private static string NotAnIndex(string path, byte[] head)
        {
            var name = System.IO.Path.GetFileName(path);
            var dot = name.LastIndexOf(".dtp.", StringComparison.OrdinalIgnoreCase);
            if (dot >= 0)
            {
                return $"{path} is a part of a snapshot; give its index, {name.Substring(0, dot + 4)}";
            }

            if (head.Length == 0)
            {
                return $"{path} is empty, and a snapshot's index is not; copy it again";
            }

            foreach (var kind in OtherKinds)
            {
                if (StartsWith(head, kind.Key))
                {
                    return $"{path} is not the index of a dotTrace snapshot, but looks like {kind.Value}; "
                        + "give the .dtp file of a snapshot, unpacked";
                }
            }

            var found = string.Join(" ", head.Take(6).Select(unit => unit.ToString("X2")));
            return $"{path} is not the index of a dotTrace snapshot: it should start with MFDTPF, and the bytes {found} were found; "
                + "give the .dtp file of a snapshot";
        }

        private static bool ExistsIgnoringCase(string path)
        {
            if (File.Exists(path))
            {
                return true;
            }

            // snapshots move between systems that mind the case of names and systems that don't
            var folder = System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path));
            return Files.In(folder).Any(file => string.Equals(
                System.IO.Path.GetFileName(file), System.IO.Path.GetFileName(path), StringComparison.OrdinalIgnoreCase));
        }

        private static bool StartsWith(byte[] bytes, byte[] start)
        {
            return bytes.Length >= start.Length && bytes.Take(start.Length).SequenceEqual(start);
        }

        private static KeyValuePair<byte[], string> Kind(string start, string what)
        {
            return new KeyValuePair<byte[], string>(start.Select(unit => (byte)unit).ToArray(), what);
        }
    }
}
