using System;
using System.Collections;
using System.Reflection;

namespace Dotspot.Dtp
{
    // Missing members are null and in the binder's list.
    internal sealed class NodeMembers
    {
        public NodeMembers(Binder binder, Type type)
        {
            var children = binder.Member(
                type,
                $"{Contract.GetChildren}()",
                FindGetChildren);
            Children = children == null ? null : Reflect.Caller<IEnumerable>(children);
            PresentableName = Getters.Text(binder, type, Contract.PresentableName);
            var info = binder.Value(type, Contract.Info, declared => true, "");
            Info = info == null ? null : Reflect.Getter<object>(info);
            InfoType = info == null ? null : Reflect.TypeOf(info);
            var signature = binder.Value(type, Contract.Signature, declared => true, "");
            Signature = signature == null ? null : Reflect.Getter<object>(signature);
            SignatureType = signature == null ? null : Reflect.TypeOf(signature);
            var uid = Reflect.ValueOfType(type, Contract.FunctionUid);
            FunctionUid = uid == null ? null : Reflect.Getter<object>(uid);
        }

        public Func<object, IEnumerable> Children { get; }

        public Func<object, string> PresentableName { get; }

        public Func<object, object> Info { get; }

        public Type InfoType { get; }

        public Func<object, object> Signature { get; }

        public Type SignatureType { get; }

        // The number is boxed; the getter is null if the nodes have none.
        public Func<object, object> FunctionUid { get; }

        private static MethodInfo FindGetChildren(Type type)
        {
            var method = Reflect.Method(type, Contract.GetChildren);
            return typeof(IEnumerable).IsAssignableFrom(method?.ReturnType ?? typeof(void)) ? method : null;
        }
    }
}
