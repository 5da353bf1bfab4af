using System;
using System.Collections;
using System.Collections.Generic;

namespace Dotspot.Dtp
{
    // Nodes of one tree may be of several types, so each type is bound when it is first met. Exceptions of members are
    // passed on unchanged; Member names the one that threw.
    internal sealed class NodeReader
    {
        private readonly Binder binder;
        private readonly PerType<NodeMembers> nodes;
        private readonly PerType<InfoMembers> infos;
        private readonly PerType<SignatureMembers> signatures;

        public NodeReader(Binder binder)
        {
            this.binder = binder;
            nodes = new PerType<NodeMembers>(type => Bound(new NodeMembers(binder, type)));
            infos = new PerType<InfoMembers>(type => Bound(new InfoMembers(binder, type)));
            signatures = new PerType<SignatureMembers>(type => Bound(new SignatureMembers(binder, type)));
        }

        public string Member { get; private set; } = "";

        // Without a snapshot, only declared types are known. What one lacks that may have subtypes is listed as known
        // only with a snapshot.
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

        // This may be null for a node without children.
        public IEnumerator Children(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.GetChildren;
            return members.Children(node)?.GetEnumerator();
        }

        // The result is null after the last child.
        public object Next(IEnumerator children)
        {
            Member = Contract.GetChildren;
            return !children.MoveNext() ? null : children.Current ?? throw new InvalidOperationException("a child is null");
        }

        public NodeValues Values(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.Info;
            var info = members.Info(node) ?? throw new InvalidOperationException("a node has none");
            var values = infos.Of(info);
            return new NodeValues(values.Time(info), values.OwnTime(info), values.Calls(info));
        }

        public string PresentableName(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.PresentableName;
            return members.PresentableName(node) ?? "";
        }

        public string SignatureName(object node)
        {
            var members = nodes.Of(node);
            Member = Contract.Signature;
            var signature = members.Signature(node);
            return signature == null ? null : signatures.Of(signature).Name(signature);
        }

        // This is null if the function's number is unknown.
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
