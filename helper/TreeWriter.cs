using System;
using System.Collections.Generic;
using System.Linq;

namespace Dotspot.Dtp
{
    // The members and their order are those of dotspot.call-tree/1, the contract between helper and explorer.
    internal sealed class TreeWriter
    {
        private const int MaxHotspots = 200;

        // A billionth of a millisecond is finer than any clock.
        private const int TimeDecimals = 9;

        private readonly TreeWalker walker;
        private readonly Frames frames;
        private readonly decimal ticksPerSecond;
        private readonly JsonWriter json;

        // The walker has read the threads, and reads the rest during Write.
        public TreeWriter(TreeWalker walker, Frames frames, decimal ticksPerSecond, JsonWriter json)
        {
            this.walker = walker;
            this.frames = frames;
            this.ticksPerSecond = ticksPerSecond;
            this.json = json;
        }

        public void Write(SnapshotFile snapshot, string decoderVersion, IEnumerable<string> warnings)
        {
            try
            {
                json.StartObject();
                json.Member("schema", "dotspot.call-tree/1");
                WriteSnapshot(snapshot, decoderVersion, warnings);
                WriteThreads();
                WriteTree();
                WriteHotspots();
                json.EndObject();
                json.Flush();
            }
            catch (OverflowException e)
            {
                // a single time can't be too large, but sums of many can
                throw new StageException(
                    Stage.Walk,
                    "the times in the snapshot add up to more than a number can hold; another version of Rider or dotTrace may read it",
                    e);
            }
        }

        private void WriteSnapshot(SnapshotFile snapshot, string decoderVersion, IEnumerable<string> warnings)
        {
            json.Member("snapshot");
            json.StartObject();
            json.Member("source", snapshot.Path);
            json.Member("thread_count", walker.Threads.Count);
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

        private void WriteThreads()
        {
            json.Member("thread_roots");
            json.StartArray();
            foreach (var thread in walker.Threads)
            {
                json.StartObject();
                json.Member("id", thread.Id);
                json.Member("name", thread.Name);
                json.Member("kind", "thread");
                json.Member("thread_name", thread.Name);
                WriteValues(thread.Values);
                json.EndObject();
            }

            json.EndArray();
        }

        private void WriteTree()
        {
            json.Member("call_tree");
            json.StartObject();
            json.Member("id", "root");
            json.Member("name", "All threads");
            json.Member("kind", "root");
            json.Member("inclusive_time", Milliseconds(walker.Threads.Sum(thread => (decimal)thread.Values.Inclusive)));
            json.Member("exclusive_time", 0);
            json.Member("call_count", 0);
            StartChildren();
            foreach (var thread in walker.Threads)
            {
                json.StartObject();
                json.Member("id", thread.Id);
                json.Member("name", thread.Name);
                json.Member("kind", "thread");
                WriteValues(thread.Values);
                // a node has its thread name here, and an entry of the list of threads before its times
                json.Member("thread_name", thread.Name);
                StartChildren();
                walker.Walk(thread, StartNode, EndNode);
                EndNode();
            }

            EndNode();
        }

        private void StartNode(string id, Frame frame, NodeValues values)
        {
            json.StartObject();
            json.Member("id", id);
            json.Member("name", frame.Name);
            json.Member("kind", KindOf(frame));
            WriteValues(values);
            StartChildren();
        }

        private void StartChildren()
        {
            json.Member("children");
            json.StartArray();
        }

        private void EndNode()
        {
            json.EndArray();
            json.EndObject();
        }

        private void WriteValues(NodeValues values)
        {
            json.Member("inclusive_time", Milliseconds(values.Inclusive));
            json.Member("exclusive_time", Milliseconds(values.Exclusive));
            json.Member("call_count", values.Calls);
        }

        private void WriteHotspots()
        {
            json.Member("hotspots");
            json.StartObject();
            WriteHotspots("inclusive", frame => frame.Inclusive);
            WriteHotspots("exclusive", frame => frame.Exclusive);
            json.EndObject();
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
            // a sum times a thousand may be too large where its quotient is not
            var milliseconds = Math.Abs(ticks) > decimal.MaxValue / 1000m
                ? ticks / ticksPerSecond * 1000m
                : ticks * 1000m / ticksPerSecond;
            return Math.Round(milliseconds, TimeDecimals);
        }

        private static string KindOf(Frame frame)
        {
            return frame.Kind == FrameKind.Method ? "method" : "special";
        }
    }
}
