using System;
using System.Reflection;

namespace Dotspot.Dtp
{
    internal sealed class CallException : Exception
    {
        public CallException(MemberInfo member, Exception inner)
            : base(inner.Message, inner)
        {
            Member = member;
        }

        public MemberInfo Member { get; }
    }
}
