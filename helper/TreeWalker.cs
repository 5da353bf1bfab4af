using System;
using System.Collections;
using System.Collections.Generic;

namespace Dotspot.Dtp
{
    // The walk is in preorder, and holds no more than the path to the current node.
    internal sealed class TreeWalker
    {
        // The times of all threads are held in memory, since they are written before the tree.
        private const int MaxThreads = 1000000;

        private readonly NodeReader reader;
        private readonly Names names;
        private readonly Binder binder;
        private readonly Options options;
        private readonly List<ThreadRoot> threads = new List<ThreadRoot>();
        private readonly Stack<Level> path = new Stack<Level>();

        private ThreadRoot thread;
        private long nodeCount;

        public TreeWalker(NodeReader reader, Names names, Binder binder, Options options)
        {
            this.reader = reader;
            this.names = names;
            this.binder = binder;
            this.options = options;
        }

        public IReadOnlyList<ThreadRoot> Threads => threads;

        // Threads are the children of the synthetic root.
        public void ReadThreads(object root)
        {
            try
            {
                var children = reader.Children(root);
                for (var node = Next(children); node != null; node = Next(children))
                {
                    CheckLimits(depth: 1);
                    if (threads.Count == MaxThreads)
                    {
                        throw new StageException(
                            Stage.Walk,
                            $"the snapshot has more than {Invariant.Text(MaxThreads)} threads and looks endless; "
                                + "another version of Rider or dotTrace may read it");
                    }

                    nodeCount++;
                    threads.Add(new ThreadRoot(node, threads.Count + 1, names.OfThread(node), reader.Values(node)));
                }

                (children as IDisposable)?.Dispose();
            }
            catch (Exception e) when (!(e is StageException))
            {
                throw Stuck(e);
            }
        }

        // Each node is entered before its children and left after the last.
        public void Walk(ThreadRoot root, Action<string, Frame, NodeValues> enter, Action leave)
        {
            thread = root;
            var number = 0L;
            try
            {
                Descend(root.Node, null);
                while (path.Count > 0)
                {
                    var node = Next(path.Peek().Children);
                    if (node == null)
                    {
                        Ascend(leave);
                        continue;
                    }

                    CheckLimits(path.Count + 1);
                    var frame = names.Of(node);
                    var values = reader.Values(node);
                    nodeCount++;
                    number++;
                    frame.Enter(values);
                    // the libraries have an offset for each node, but no documented member returns it
                    enter($"{root.Id}:n{Invariant.Text(number)}", frame, values);
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
            path.Push(new Level { Children = reader.Children(node), Frame = frame });
        }

        private void Ascend(Action leave)
        {
            var level = path.Pop();
            (level.Children as IDisposable)?.Dispose();
            if (level.Frame != null)
            {
                level.Frame.Leave();
                leave();
            }
        }

        private object Next(IEnumerator children)
        {
            return children == null ? null : reader.Next(children);
        }

        private void CheckLimits(long depth)
        {
            if (depth > options.MaxDepth)
            {
                throw Endless($"is deeper than {Invariant.Text(options.MaxDepth)} nodes");
            }

            if (nodeCount >= options.MaxNodes)
            {
                throw Endless($"has more than {Invariant.Text(options.MaxNodes)} nodes");
            }
        }

        private StageException Endless(string excess)
        {
            return new StageException(
                Stage.Walk, $"the tree {excess} and looks endless: {HowFar()}; if dotTrace shows the whole tree, please report it");
        }

        private StageException Stuck(Exception e)
        {
            var cause = Reflect.Unwrap(e);
            var problem = $"the tree can't be read to its end: {reader.Member} of a node failed: {Reflect.Describe(cause)}";
            return Reflect.IsLoading(cause)
                ? binder.Unfit($"{problem}{binder.UnresolvedNote}, with the libraries in {binder.Folders}, and {HowFar()}", cause.ToString())
                : new StageException(
                    Stage.Walk, $"{problem}; {HowFar()}; another version of Rider or dotTrace may read on", cause.ToString());
        }

        private string HowFar()
        {
            var count = nodeCount == 1 ? "1 node was read before" : $"{Invariant.Text(nodeCount)} nodes were read before";
            return path.Count == 0
                ? count
                : $"{count}, the last at depth {Invariant.Text(path.Count)} in thread {Invariant.Text(thread.Number)} ({thread.Name})";
        }

        private struct Level
        {
            public IEnumerator Children;

            public Frame Frame;
        }
    }
}
