using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Dotspot.Dtp
{
    /// <summary>Walks the call tree and writes it as JSON while it goes, holding no more than the path to the current node.</summary>
    /// <remarks>The members and their order are those of <c>dotspot.call-tree/1</c>, the contract between helper and explorer.</remarks>
    internal sealed class TreeWriter
    {
        /// <summary>How many hotspots each list holds.</summary>
        private const int MaxHotspots = 200;

        /// <summary>How many threads are read; their times are held in memory, since they stand before the tree.</summary>
        private const int MaxThreads = 1000000;

        /// <summary>To how many decimals of a millisecond times are rounded; finer than any clock.</summary>
        private const int TimeDecimals = 9;

        private readonly NodeReader reader;
        private readonly Names names;
        private readonly Frames frames;
        private readonly Session session;
        private readonly Options options;
        private readonly JsonWriter json;
        private readonly Stack<Level> path = new Stack<Level>();

        private List<ThreadRoot> threads;
        private int thread;
        private long nodeInThread;
        private long nodeCount;

        /// <summary>A writer of one tree.</summary>
        public TreeWriter(NodeReader reader, Names names, Frames frames, Session session, Options options, JsonWriter json)
        {
            this.reader = reader;
            this.names = names;
            this.frames = frames;
            this.session = session;
            this.options = options;
            this.json = json;
        }

        /// <summary>Reads the threads. The times of all are written before the tree, so this comes before anything is written.</summary>
        /// <exception cref="StageException">Walk: a thread can't be read; bind: the nodes lack a member.</exception>
        public void ReadThreads()
        {
            try
            {
                threads = new List<ThreadRoot>();
                var children = reader.Children(session.Root);
                for (var node = Next(children); node != null; node = Next(children))
                {
                    CheckLimits(depth: 1);
                    if (threads.Count == MaxThreads)
                    {
                        throw new StageException(
                            Stage.Walk,
                            $"the snapshot has more than {Number(MaxThreads)} threads and looks endless; "
                                + "another version of Rider or dotTrace may read it");
                    }

                    nodeCount++;
                    threads.Add(new ThreadRoot(node, "t" + Number(nodeCount), names.OfThread(node), reader.Values(node)));
                }

                (children as IDisposable)?.Dispose();
            }
            catch (Exception e) when (!(e is StageException))
            {
                throw Stuck(e);
            }
        }

        /// <summary>Writes the whole document.</summary>
        /// <param name="snapshot">The file that is read.</param>
        /// <param name="decoderVersion">Which libraries read it.</param>
        /// <param name="warnings">What the user should know.</param>
        /// <exception cref="StageException">Walk, metadata, bind or output.</exception>
        public void Write(SnapshotFile snapshot, string decoderVersion, IEnumerable<string> warnings)
        {
            json.StartObject();
            json.Member("schema", "dotspot.call-tree/1");
            WriteSnapshot(snapshot, decoderVersion, warnings);
            json.Member("thread_roots");
            json.StartArray();
            foreach (var each in threads)
            {
                json.StartObject();
                WriteThread(each);
                json.EndObject();
            }

            json.EndArray();
            WriteTree();
            json.Member("hotspots");
            json.StartObject();
            WriteHotspots("inclusive", frame => frame.Inclusive);
            WriteHotspots("exclusive", frame => frame.Exclusive);
            json.EndObject();
            json.EndObject();
            json.Flush();
        }

        private void WriteSnapshot(SnapshotFile snapshot, string decoderVersion, IEnumerable<string> warnings)
        {
            json.Member("snapshot");
            json.StartObject();
            json.Member("source", snapshot.Path);
            json.Member("thread_count", threads.Count);
            // not known until the tree has been walked, which happens while it is written
            json.Member("node_count", null);
            json.Member("payload_type", snapshot.PayloadType);
            json.Member("time_unit", "ms");
            json.Member("decoder", "assemblies");
            json.Member("decoder_version", decoderVersion);
            json.Member("warnings");
            json.StartArray();
            foreach (var warning in warnings)
            {
                json.Value(warning);
            }

            json.EndArray();
            json.EndObject();
        }

        private void WriteThread(ThreadRoot root)
        {
            json.Member("id", root.Id);
            json.Member("name", root.Name);
            json.Member("kind", "thread");
            json.Member("thread_name", root.Name);
            WriteValues(root.Values);
        }

        private void WriteTree()
        {
            json.Member("call_tree");
            json.StartObject();
            json.Member("id", "root");
            json.Member("name", "All threads");
            json.Member("kind", "root");
            json.Member("inclusive_time", Milliseconds(threads.Sum(each => (decimal)each.Values.Inclusive)));
            json.Member("exclusive_time", 0);
            json.Member("call_count", 0);
            json.Member("children");
            json.StartArray();
            thread = 0;
            foreach (var each in threads)
            {
                thread++;
                nodeInThread = 0;
                json.StartObject();
                WriteThread(each);
                WriteCallees(each.Node);
                json.EndObject();
            }

            json.EndArray();
            json.EndObject();
        }

        /// <summary>Writes the member <c>children</c> of a thread, with the whole subtree.</summary>
        private void WriteCallees(object root)
        {
            try
            {
                Descend(root, null);
                while (path.Count > 0)
                {
                    var level = path.Peek();
                    var node = Next(level.Children);
                    if (node == null)
                    {
                        Ascend();
                        continue;
                    }

                    CheckLimits(path.Count + 1);
                    var frame = names.Of(node);
                    var values = reader.Values(node);
                    nodeInThread++;
                    nodeCount++;
                    frame.Enter(values);
                    json.StartObject();
                    json.Member("id", NodeId());
                    json.Member("name", frame.Name);
                    json.Member("kind", KindOf(frame));
                    WriteValues(values);
                    Descend(node, frame);
                }
            }
            catch (Exception e) when (!(e is StageException) && !(e is ClosedPipeException))
            {
                throw Stuck(e);
            }
        }

        private void Descend(object node, Frame frame)
        {
            json.Member("children");
            json.StartArray();
            path.Push(new Level { Children = reader.Children(node), Frame = frame });
        }

        private void Ascend()
        {
            var level = path.Pop();
            (level.Children as IDisposable)?.Dispose();
            json.EndArray();
            if (level.Frame != null)
            {
                level.Frame.Leave();
                json.EndObject();
            }
        }

        private object Next(IEnumerator children)
        {
            return children == null ? null : reader.Next(children);
        }

        private void WriteValues(NodeValues values)
        {
            json.Member("inclusive_time", Milliseconds(values.Inclusive));
            json.Member("exclusive_time", Milliseconds(values.Exclusive));
            json.Member("call_count", values.Calls);
        }

        private void WriteHotspots(string list, Func<Frame, decimal> value)
        {
            json.Member(list);
            json.StartArray();
            foreach (var frame in frames.Top(MaxHotspots, value))
            {
                json.StartObject();
                json.Member("name", frame.Name);
                json.Member("kind", KindOf(frame));
                json.Member("inclusive_time", Milliseconds(frame.Inclusive));
                json.Member("exclusive_time", Milliseconds(frame.Exclusive));
                json.Member("call_count", frame.Calls);
                json.Member("node_count", frame.NodeCount);
                json.EndObject();
            }

            json.EndArray();
        }

        private decimal Milliseconds(decimal ticks)
        {
            return Math.Round(ticks * 1000m / session.TicksPerSecond, TimeDecimals);
        }

        /// <summary>
        /// The id of the current node: its thread, and its number in the thread's preorder. The libraries have an offset for
        /// each node, but no documented member gives it, and a number that looks like one would pretend.
        /// </summary>
        private string NodeId()
        {
            return $"t{Number(thread)}:n{Number(nodeInThread)}";
        }

        private void CheckLimits(long depth)
        {
            if (depth > options.MaxDepth)
            {
                throw new StageException(
                    Stage.Walk,
                    $"the tree is deeper than {Number(options.MaxDepth)} nodes and looks endless: {HowFar()}; --max-depth raises the limit");
            }

            if (nodeCount >= options.MaxNodes)
            {
                throw new StageException(
                    Stage.Walk,
                    $"the tree has more than {Number(options.MaxNodes)} nodes and looks endless: {HowFar()}; --max-nodes raises the limit");
            }
        }

        private StageException Stuck(Exception e)
        {
            var cause = Reflect.Unwrap(e);
            return new StageException(
                Reflect.IsLoading(cause) ? Stage.Bind : Stage.Walk,
                $"the tree can't be read to its end: {reader.Member} of a node failed: {Reflect.Describe(cause)}; "
                    + $"{HowFar()}; another version of Rider or dotTrace may read on",
                cause.ToString());
        }

        private string HowFar()
        {
            var count = nodeCount == 1 ? "1 node was read until then" : $"{Number(nodeCount)} nodes were read until then";
            return path.Count == 0
                ? count
                : $"{count}, the last at depth {Number(path.Count)} in thread {Number(thread)} ({threads[thread - 1].Name})";
        }

        private static string KindOf(Frame frame)
        {
            return frame.Kind == FrameKind.Method ? "method" : "special";
        }

        private static string Number(long number)
        {
            return number.ToString(CultureInfo.InvariantCulture);
        }

        /// <summary>A node whose children are being written.</summary>
        private struct Level
        {
            /// <summary>The children that are left, or null.</summary>
            public IEnumerator Children;

            /// <summary>The node's frame; null for a thread.</summary>
            public Frame Frame;
        }

        /// <summary>A thread.</summary>
        private sealed class ThreadRoot
        {
            public ThreadRoot(object node, string id, string name, NodeValues values)
            {
                Node = node;
                Id = id;
                Name = name;
                Values = values;
            }

            public object Node { get; }

            public string Id { get; }

            public string Name { get; }

            public NodeValues Values { get; }
        }
    }
}
