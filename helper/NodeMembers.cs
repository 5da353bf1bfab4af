using System;
using System.Collections;

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
                each => typeof(IEnumerable).IsAssignableFrom(Reflect.Method(each, Contract.GetChildren)?.ReturnType ?? typeof(void))
                    ? Reflect.Method(each, Contract.GetChildren)
                    : null);
            Children = children == null ? null : Reflect.Caller<IEnumerable>(children);
            PresentableName = Getters.Text(binder, type, Contract.PresentableName);
            var info = binder.Property(type, Contract.Info, each => true, "");
            Info = info == null ? null : Reflect.Getter<object>(info);
            InfoType = info?.PropertyType;
            var signature = binder.Property(type, Contract.Signature, each => true, "");
            Signature = signature == null ? null : Reflect.Getter<object>(signature);
            SignatureType = signature?.PropertyType;
            var uid = Reflect.PropertyOfType(type, Contract.FunctionUid);
            FunctionUid = uid == null ? null : Reflect.Getter<object>(uid);
        }

        /// <summary>Gives the children.</summary>
        public Func<object, IEnumerable> Children { get; }

        /// <summary>Gives the name that dotTrace shows.</summary>
        public Func<object, string> PresentableName { get; }

        /// <summary>Gives the object with the values.</summary>
        public Func<object, object> Info { get; }

        /// <summary>The declared type of <see cref="Info"/>.</summary>
        public Type InfoType { get; }

        /// <summary>Gives the signature.</summary>
        public Func<object, object> Signature { get; }

        /// <summary>The declared type of <see cref="Signature"/>.</summary>
        public Type SignatureType { get; }

        /// <summary>Gives the number of the function, boxed; null if the type of nodes has none.</summary>
        public Func<object, object> FunctionUid { get; }
    }
}
