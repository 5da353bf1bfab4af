using System;

namespace Dotspot.Dtp
{
    /// <summary>The members of an object that names a method: a node's signature, or a function of the metadata.</summary>
    internal sealed class SignatureMembers
    {
        private readonly Func<object, string> functionName;
        private readonly Func<object, string> owner;

        /// <summary>Looks the members up.</summary>
        public SignatureMembers(Binder binder, Type type, Use use = Use.Reading)
        {
            functionName = Getters.Text(binder, type, Contract.FunctionName, use);
            owner = Getters.Text(binder, type, Contract.OwnerFullyQualifiedName, use);
        }

        /// <summary>Type and method with a dot between them; the method alone if it has no type; null if there is no method.</summary>
        public string Name(object signature)
        {
            var name = functionName(signature);
            if (string.IsNullOrEmpty(name))
            {
                return null;
            }

            var type = owner(signature);
            return string.IsNullOrEmpty(type) ? name : type + "." + name;
        }
    }
}
