using System;
using System.Collections;
using System.Collections.Generic;

namespace Dotspot.Dtp
{
    /// <summary>
    /// Reads the members of nodes. Nodes of one tree may be of several types, so each type is bound when it is first met, and
    /// read through compiled delegates from then on.
    /// </summary>
    /// <remarks>What a member throws arrives as it is; <see cref="Member"/> tells which one it was.</remarks>
    internal sealed class NodeReader
    {
        private readonly Binder binder;
        private readonly PerType<NodeMembers> nodes;
        private readonly PerType<InfoMembers> infos;
        private readonly PerType<SignatureMembers> signatures;

        /// <summary>A reader of nodes of any type that has the members.</summary>
        public NodeReader(Binder binder)
        {
            this.binder = binder;
            nodes = new PerType<NodeMembers>(type => Bound(new NodeMembers(binder, type)));
            infos = new PerType<InfoMembers>(type => Bound(new InfoMembers(binder, type)));
            signatures = new PerType<SignatureMembers>(type => Bound(new SignatureMembers(binder, type)));
        }

        /// <summary>The member that is being read, for sentences about what it threw.</summary>
        public string Member { get; private set; } = "";

        /// <summary>Looks up the members on the types that the libraries declare, without a snapshot.</summary>
        /// <param name="binder">Keeps what is found.</param>
        /// <param name="node">The declared type of nodes. Of an abstract one nothing is told: nodes may have more members than it.</param>
        public static void Probe(Binder binder, Type node)
        {
            if (node == null || node == typeof(object) || node.IsAbstract)
            {
                return;
            }

            var members = new NodeMembers(binder, node);
            if (members.InfoType != null)
            {
                new InfoMembers(binder, members.InfoType);
            }

            if (members.SignatureType != null)
            {
                new SignatureMembers(binder, members.SignatureType);
            }
        }

        /// <summary>The children of a node; null stands for none.</summary>
        public IEnumerator Children(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.GetChildren;
            return members.Children(node)?.GetEnumerator();
        }

        /// <summary>The next child, or null if there is none left.</summary>
        public object Next(IEnumerator children)
        {
            Member = Contract.GetChildren;
            return !children.MoveNext() ? null : children.Current ?? throw new InvalidOperationException("a child is null");
        }

        /// <summary>The values of a node.</summary>
        public NodeValues Values(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.Info;
            var info = members.Info(node) ?? throw new InvalidOperationException("a node has none");
            var values = infos.Of(info);
            return new NodeValues(values.Time(info), values.OwnTime(info), values.Calls(info));
        }

        /// <summary>How dotTrace shows a node; never null.</summary>
        public string PresentableName(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.PresentableName;
            return members.PresentableName(node) ?? "";
        }

        /// <summary>Type and method that the node's signature names, or null if it has none.</summary>
        public string SignatureName(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.Signature;
            var signature = members.Signature(node);
            return signature == null ? null : signatures.Of(signature).Name(signature);
        }

        /// <summary>The number of the node's function, or null if it has none or the type of nodes doesn't tell.</summary>
        public object FunctionUid(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.FunctionUid;
            return members.FunctionUid?.Invoke(node);
        }

        private T Bound<T>(T members)
        {
            binder.Require(Use.Reading);
            return members;
        }

        /// <summary>What is known per type of object.</summary>
        private sealed class PerType<T>
        {
            private readonly Dictionary<Type, T> known = new Dictionary<Type, T>();
            private readonly Func<Type, T> bind;

            public PerType(Func<Type, T> bind)
            {
                this.bind = bind;
            }

            public T Of(object instance)
            {
                var type = instance.GetType();
                if (!known.TryGetValue(type, out var members))
                {
                    members = bind(type);
                    known.Add(type, members);
                }

                return members;
            }
        }
    }
}
