// What the stand-ins serve: a snapshot that a test describes in text, and what goes wrong in it.
// README.md describes the lines. Nothing of this exists in JetBrains' libraries; theirs have dependencies too, and so have these.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]

namespace Dotspot.StandIn
{
    /// <summary>A line of the description that is a node, with the lines that are its children.</summary>
    public sealed class Row
    {
        public readonly List<Row> Children = new List<Row>();
        public string Kind;
        public long Inclusive;
        public long Exclusive;
        public long Count;
        public string[] Words;
    }

    /// <summary>The description that is served. There is one per process.</summary>
    public sealed class Script
    {
        private readonly Dictionary<string, int> calls = new Dictionary<string, int>();
        private readonly List<string[]> events = new List<string[]>();

        /// <summary>The description; empty until a path has been made of text.</summary>
        public static Script Current = new Script();

        public readonly Row Root = new Row { Kind = "root" };
        public readonly Dictionary<ulong, string[]> Functions = new Dictionary<ulong, string[]>();
        public long Resolution = 10000000;
        public bool HasMetadata = true;
        public bool HasRoot = true;

        /// <summary>Reads a description: the magic of a snapshot, then a line per fact, words parted by tabs.</summary>
        public static void Load(string path)
        {
            if (!File.Exists(path))
            {
                return;
            }

            var script = new Script();
            var open = new List<Row> { script.Root };
            foreach (var line in File.ReadLines(path).Skip(1))
            {
                script.Take(line.Split('\t'), open);
            }

            Current = script;
        }

        /// <summary>Tells that a member was called; what the description wants to happen at this call happens.</summary>
        public void Hit(string member)
        {
            calls.TryGetValue(member, out var count);
            calls[member] = ++count;
            foreach (var each in events)
            {
                if (each[1] == member && int.Parse(each[2]) == count)
                {
                    Happen(each);
                }
            }
        }

        private void Take(string[] words, List<Row> open)
        {
            switch (words[0])
            {
                case "resolution":
                    Resolution = Number(words[1]);
                    break;
                case "no-metadata":
                    HasMetadata = false;
                    break;
                case "no-root":
                    HasRoot = false;
                    break;
                case "name":
                    Functions.Add(Hex(words[1]), new[] { words[2], words[3] });
                    break;
                case "at":
                    events.Add(words);
                    break;
                case "":
                    break;
                default:
                    // kind, depth, time, own time, calls, and what the kind needs
                    var row = new Row
                    {
                        Kind = words[0],
                        Inclusive = Number(words[2]),
                        Exclusive = Number(words[3]),
                        Count = Number(words[4]),
                        Words = words.Skip(5).ToArray(),
                    };
                    var depth = (int)Number(words[1]);
                    open.RemoveRange(depth, open.Count - depth);
                    open[depth - 1].Children.Add(row);
                    open.Add(row);
                    break;
            }
        }

        private static void Happen(string[] words)
        {
            var text = words.Length > 4 ? words[4].Replace("\\n", "\n") : "";
            switch (words[3])
            {
                case "throw":
                    throw new InvalidOperationException(text);
                case "throw-io":
                    throw new IOException(text);
                case "throw-missing-method":
                    throw new MissingMethodException(text);
                case "print":
                    Console.WriteLine(text);
                    break;
                case "thread":
                    new Thread(() => Thread.Sleep(Timeout.Infinite)).Start();
                    break;
                case "hang":
                    Thread.Sleep(Timeout.Infinite);
                    break;
                case "kill":
                    Process.GetCurrentProcess().Kill();
                    Thread.Sleep(Timeout.Infinite);
                    break;
                case "overflow":
                    Overflow(1);
                    break;
                default:
                    throw new ArgumentException("unknown event " + words[3]);
            }
        }

        private static int Overflow(int depth)
        {
            return depth + Overflow(depth + 1) % 7;
        }

        public static long Number(string text)
        {
            return long.Parse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        }

        public static ulong Hex(string text)
        {
            return ulong.Parse(text.Substring(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
        }
    }
}
