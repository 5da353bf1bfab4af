using System;
using System.Collections.Generic;
using System.Linq;
using Dotspot.StandIn;
using JetBrains.dotTrace.Snapshot.Performance;
using JetBrains.dotTrace.SnapShotApi.Nodes;
using JetBrains.Lifetimes;
using JetBrains.Profiler.Snapshot.Section;
using JetBrains.Util;

[assembly: System.Reflection.AssemblyVersion("777.0.0.0")]
[assembly: System.Reflection.AssemblyFileVersion("2024.3.5.1")]

namespace JetBrains.dotTrace.SnapShotApi
{
    public sealed class FunctionSignature
    {
        public FunctionSignature(string owner, string name)
        {
            OwnerFullyQualifiedName = owner;
            FunctionName = name;
        }

        public string FunctionName { get; }

        public string OwnerFullyQualifiedName { get; }
    }

    public interface ICallTreeNodeInfo
    {
        FunctionSignature Signature { get; }
    }
}

namespace JetBrains.dotTrace.SnapShotApi.Nodes
{
    public interface ICallTreeNode<out TNode>
    {
        string PresentableName { get; }

        IEnumerable<TNode> GetChildren();
    }

    public struct NodeInfo
    {
        public NodeInfo(long time, long ownTime, long calls)
        {
            Time = time;
            OwnTime = ownTime;
            Calls = calls;
        }

        public long Time { get; }

        public long OwnTime { get; }

        public long Calls { get; }
    }

    public abstract class NodeBase
    {
        // hidden by the documented one, so that a look-up by name alone is ambiguous
        public object Info => throw new NotSupportedException("hidden");
    }

    // a node of the description; signature and children are there through the interfaces only
    public class CallTreeNode : NodeBase, ICallTreeNode<CallTreeNode>, ICallTreeNodeInfo
    {
        protected readonly Row Row;

        internal CallTreeNode(Row row)
        {
            Row = row;
        }

        public new NodeInfo Info
        {
            get
            {
                Script.Current.Hit("Info");
                return Values;
            }
        }

        public virtual string PresentableName
        {
            get
            {
                Script.Current.Hit("PresentableName");
                switch (Row.Kind)
                {
                    case "method":
                        return Row.Words[1];
                    case "function":
                        return Row.Words.Length > 1 ? Row.Words[1] : null;
                    default:
                        return Row.Words.Length > 0 ? Row.Words[0] : null;
                }
            }
        }

        public FunctionUID? Function => Row.Kind == "function" ? new FunctionUID(Script.Hex(Row.Words[0])) : default(FunctionUID?);

        FunctionSignature ICallTreeNodeInfo.Signature
        {
            get
            {
                Script.Current.Hit("Signature");
                return Row.Kind == "method" || Row.Kind == "chain" || Row.Kind == "endless" ? new FunctionSignature(Row.Words[0], Row.Words[1]) : null;
            }
        }

        protected virtual NodeInfo Values => new NodeInfo(Row.Inclusive, Row.Exclusive, Row.Count);

        IEnumerable<CallTreeNode> ICallTreeNode<CallTreeNode>.GetChildren()
        {
            Script.Current.Hit("GetChildren");
            return Children();
        }

        protected virtual IEnumerable<CallTreeNode> Children()
        {
            // null stands for none, as it may in other libraries
            return Row.Children.Count == 0 ? null : Row.Children.SelectMany(Nodes);
        }

        private static IEnumerable<CallTreeNode> Nodes(Row row)
        {
            switch (row.Kind)
            {
                case "chain":
                    return new[] { new ChainNode(row, 0) };
                case "endless":
                    return Enumerable.Range(0, int.MaxValue).Select(each => new CallTreeNode(row));
                case "null":
                    return new CallTreeNode[] { null };
                default:
                    return new[] { new CallTreeNode(row) };
            }
        }
    }

    // a node of another type: the n-th of a chain, of which each calls the next
    internal sealed class ChainNode : CallTreeNode
    {
        private readonly long place;

        internal ChainNode(Row row, long place)
            : base(row)
        {
            this.place = place;
        }

        protected override NodeInfo Values => new NodeInfo(Row.Inclusive - place * Row.Exclusive, Row.Exclusive, Row.Count);

        protected override IEnumerable<CallTreeNode> Children()
        {
            return place + 1 < Script.Number(Row.Words[2])
                ? new[] { new ChainNode(Row, place + 1) }
                : base.Children();
        }
    }
}

namespace JetBrains.dotTrace.SnapShotApi.Performance
{
    public sealed class PerformanceSnapshot
    {
        private readonly Lifetime lifetime;

        public PerformanceSnapshot(Lifetime lifetime, FileSystemPath path)
        {
            throw new NotSupportedException("takes two arguments");
        }

        public PerformanceSnapshot(
            Lifetime lifetime,
            FileSystemPath path,
            PerformanceSnapshotReader reader,
            JetBrains.Profiler.Windows.Info.PerformanceInfo info,
            string name,
            string origin)
        {
            Script.Current.Hit("PerformanceSnapshot");
            if (path == null || reader == null || info == null || !lifetime.IsAlive)
            {
                throw new ArgumentNullException();
            }

            this.lifetime = lifetime;
        }

        public long TimeResolution
        {
            get
            {
                Script.Current.Hit("TimeResolution");
                return Script.Current.Resolution;
            }
        }

        public CallTreeNode RootNodeAllThreads
        {
            get
            {
                Script.Current.Hit("RootNodeAllThreads");
                if (!lifetime.IsAlive)
                {
                    throw new ObjectDisposedException("snapshot");
                }

                return Script.Current.HasRoot ? new CallTreeNode(Script.Current.Root) : null;
            }
        }
    }
}
