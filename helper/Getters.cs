using System;

namespace Dotspot.Dtp
{
    /// <summary>Compiled readers of properties of expected types.</summary>
    internal static class Getters
    {
        /// <summary>The reader of a text, or null if there is no such property.</summary>
        public static Func<object, string> Text(Binder binder, Type type, string name, Use use = Use.Reading)
        {
            var property = binder.Property(type, name, each => each == typeof(string), "System.String", use);
            return property == null ? null : Reflect.Getter<string>(property);
        }

        /// <summary>The reader of a whole number of at most 64 bits, or null if there is no such property.</summary>
        public static Func<object, long> WholeNumber(Binder binder, Type type, string name)
        {
            var property = binder.Property(type, name, IsWholeNumber, "a whole number");
            return property == null ? null : Reflect.Getter<long>(property);
        }

        private static bool IsWholeNumber(Type type)
        {
            var code = Type.GetTypeCode(type);
            return !type.IsEnum && code >= TypeCode.SByte && code <= TypeCode.UInt64;
        }
    }
}
