using System;
using System.Collections;
using System.Collections.Generic;

namespace Dotspot.Dtp
{
    /// <summary>Walks the call tree in preorder, holding no more than the path to the current node.</summary>
    internal sealed class TreeWalker
    {
        /// <summary>The maximum number of threads; their times are held in memory, since they are written before the tree.</summary>
        private const int MaxThreads = 1000000;

        private readonly NodeReader reader;
        private readonly Names names;
        private readonly Binder binder;
        private readonly Options options;
        private readonly List<ThreadRoot> threads = new List<ThreadRoot>();
        private readonly Stack<Level> path = new Stack<Level>();

        private ThreadRoot thread;
        private long nodeCount;

        /// <summary>A walker of one tree.</summary>
        public TreeWalker(NodeReader reader, Names names, Binder binder, Options options)
        {
            this.reader = reader;
            this.names = names;
            this.binder = binder;
            this.options = options;
        }

        /// <summary>The threads, once they are read.</summary>
        public IReadOnlyList<ThreadRoot> Threads => threads;

        /// <summary>Reads the threads, which are the children of the synthetic root, without what lies below them.</summary>
        /// <exception cref="StageException">Walk: a thread can't be read; bind: the nodes lack a member.</exception>
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

        /// <summary>Walks the nodes below a thread.</summary>
        /// <param name="root">The thread.</param>
        /// <param name="enter">Called for each node before its children, with its id, frame and values.</param>
        /// <param name="leave">Called after the last child of the innermost entered node.</param>
        /// <exception cref="StageException">Walk: the tree can't be read to its end; bind: the nodes lack a member; metadata.</exception>
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
                    // the libraries have an offset for each node, but no documented member returns it, and a number that looks
                    // like one would pretend
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

        /// <summary>A node whose children are being read.</summary>
        private struct Level
        {
            /// <summary>The children that are left, or null.</summary>
            public IEnumerator Children;

            /// <summary>The node's frame; null for a thread.</summary>
            public Frame Frame;
        }
    }
}
