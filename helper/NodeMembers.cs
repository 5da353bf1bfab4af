using System;
using System.Collections;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>The members of a type of nodes; those that are missing are null and in the binder's list.</summary>
    internal sealed class NodeMembers
    {
        /// <summary>Looks the members up.</summary>
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

        /// <summary>Returns the children.</summary>
        public Func<object, IEnumerable> Children { get; }

        /// <summary>Returns the name that dotTrace shows.</summary>
        public Func<object, string> PresentableName { get; }

        /// <summary>Returns the object with the values.</summary>
        public Func<object, object> Info { get; }

        /// <summary>The declared type of <see cref="Info"/>.</summary>
        public Type InfoType { get; }

        /// <summary>Returns the signature.</summary>
        public Func<object, object> Signature { get; }

        /// <summary>The declared type of <see cref="Signature"/>.</summary>
        public Type SignatureType { get; }

        /// <summary>Returns the number of the function, boxed; null if the type of nodes has none.</summary>
        public Func<object, object> FunctionUid { get; }

        private static MethodInfo FindGetChildren(Type type)
        {
            var method = Reflect.Method(type, Contract.GetChildren);
            return typeof(IEnumerable).IsAssignableFrom(method?.ReturnType ?? typeof(void)) ? method : null;
        }
    }
}
