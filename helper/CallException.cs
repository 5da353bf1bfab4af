using System;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>What a member of JetBrains' libraries threw.</summary>
    internal sealed class CallException : Exception
    {
        /// <summary>The member and what it threw, unwrapped.</summary>
        public CallException(MemberInfo member, Exception inner)
            : base(inner.Message, inner)
        {
            Member = member;
        }

        /// <summary>The member that was called.</summary>
        public MemberInfo Member { get; }
    }
}
