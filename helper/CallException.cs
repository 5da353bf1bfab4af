using System;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>An exception thrown by a member of JetBrains' libraries.</summary>
    internal sealed class CallException : Exception
    {
        /// <summary>The member and its exception, unwrapped.</summary>
        public CallException(MemberInfo member, Exception inner)
            : base(inner.Message, inner)
        {
            Member = member;
        }

        /// <summary>The member that was called.</summary>
        public MemberInfo Member { get; }
    }
}
