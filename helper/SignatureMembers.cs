using System;

namespace Dotspot.Dtp
{
    // A node's signature and a function of the metadata both have these members.
    internal sealed class SignatureMembers
    {
        private readonly Func<object, string> functionName;
        private readonly Func<object, string> owner;

        public SignatureMembers(Binder binder, Type type, Use use = Use.Reading)
        {
            functionName = Getters.Text(binder, type, Contract.FunctionName, use);
            owner = Getters.Text(binder, type, Contract.OwnerFullyQualifiedName, use);
        }

        // Without a type, the name is the method alone; it is null without a method.
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
