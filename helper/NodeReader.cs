using System;
using System.Collections;
using System.Collections.Generic;

namespace Dotspot.Dtp
{
    /// <summary>
    /// Reads the members of nodes. Nodes of one tree may be of several types, so each type is bound when it is first met, and
    /// read through compiled delegates from then on.
    /// </summary>
    /// <remarks>Exceptions of members are passed on unchanged; <see cref="Member"/> is the member that threw.</remarks>
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

        /// <summary>The member being read, for sentences about its exceptions.</summary>
        public string Member { get; private set; } = "";

        /// <summary>
        /// Looks up the members on the types that the libraries declare, without a snapshot. What a declared type lacks that may
        /// have subtypes is listed as known only with a snapshot.
        /// </summary>
        /// <param name="binder">Records the results.</param>
        /// <param name="node">The declared type of nodes, or null if it is missing.</param>
        public static void Probe(Binder binder, Type node)
        {
            if (node == null)
            {
                return;
            }

            var members = binder.AsFarAsDeclared(node, type => new NodeMembers(binder, type));
            if (members.InfoType != null)
            {
                binder.AsFarAsDeclared(members.InfoType, type => new InfoMembers(binder, type));
            }

            if (members.SignatureType != null)
            {
                binder.AsFarAsDeclared(members.SignatureType, type => new SignatureMembers(binder, type));
            }
        }

        /// <summary>The children of a node; null if it has none.</summary>
        public IEnumerator Children(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.GetChildren;
            return members.Children(node)?.GetEnumerator();
        }

        /// <summary>The next child, or null after the last one.</summary>
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

        /// <summary>The number of the node's function, or null if it is unknown.</summary>
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

        /// <summary>The bound members, by type of object.</summary>
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
