using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>Finds members by name and calls them, in the same way on .NET and on Mono.</summary>
    internal static class Reflect
    {
        private const BindingFlags Declared =
            BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.Instance;

        /// <summary>
        /// The type, its base types, and then all its interfaces: the order in which members are looked for. Interfaces come in
        /// because what a class implements explicitly is found on the interface only.
        /// </summary>
        public static IEnumerable<Type> Lineage(Type type)
        {
            for (var each = type; each != null; each = each.BaseType)
            {
                yield return each;
            }

            foreach (var each in type.GetInterfaces())
            {
                yield return each;
            }
        }

        /// <summary>The public property or field of an object of this type, or null. One that hides another of its name wins.</summary>
        public static MemberInfo Value(Type type, string name)
        {
            return Lineage(type).SelectMany(ValuesOf).FirstOrDefault(value => value.Name == name && IsReadable(value));
        }

        /// <summary>
        /// The public property or field whose type, nullable or not, has this simple name, or null. Nothing fails: a value whose
        /// type can't be loaded is not the one.
        /// </summary>
        public static MemberInfo ValueOfType(Type type, string typeName)
        {
            return Values(type).FirstOrDefault(value => WithoutNullable(TypeOf(value)).Name == typeName);
        }

        /// <summary>All public properties and fields of an object of this type whose types can be loaded.</summary>
        public static IEnumerable<MemberInfo> Values(Type type)
        {
            return Lineage(type)
                .SelectMany(declaring => Guarded(() => ValuesOf(declaring).ToList()) ?? new List<MemberInfo>())
                .Where(value => Guarded(() => IsReadable(value) ? TypeOf(value) : null) != null);
        }

        /// <summary>The type of a property or field.</summary>
        public static Type TypeOf(MemberInfo value)
        {
            return (value as PropertyInfo)?.PropertyType ?? ((FieldInfo)value).FieldType;
        }

        /// <summary>The type that may be null in a nullable one; any other type as it is.</summary>
        public static Type WithoutNullable(Type type)
        {
            return Nullable.GetUnderlyingType(type) ?? type;
        }

        /// <summary>The public method of an object of this type without parameters, or null.</summary>
        public static MethodInfo Method(Type type, string name)
        {
            return Lineage(type)
                .SelectMany(declaring => declaring.GetMethods(Declared))
                .FirstOrDefault(method => method.Name == name && !method.IsGenericMethodDefinition && method.GetParameters().Length == 0);
        }

        /// <summary>
        /// The public static method whose first parameter has exactly this type and whose others may be left out; of several,
        /// the one that needs the fewest arguments, then the one with the fewest parameters. Null if there is none.
        /// </summary>
        public static MethodInfo StaticMethod(Type type, string name, Type firstParameter)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static)
                .Where(method => method.Name == name && !method.IsGenericMethodDefinition)
                .Where(method => method.GetParameters().Length > 0 && WithoutReference(method.GetParameters()[0]) == firstParameter)
                .OrderBy(method => method.GetParameters().Count(parameter => !parameter.IsOptional))
                .ThenBy(method => method.GetParameters().Length)
                .FirstOrDefault();
        }

        /// <summary>The operator that converts text to this type, explicit or implicit, or null.</summary>
        public static MethodInfo ConversionFromText(Type type)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.FlattenHierarchy)
                .Where(method => method.Name == "op_Explicit" || method.Name == "op_Implicit")
                .FirstOrDefault(method => method.GetParameters().Length == 1
                    && method.GetParameters()[0].ParameterType == typeof(string)
                    && type.IsAssignableFrom(method.ReturnType));
        }

        /// <summary>The public constructor that takes arguments of these types, or null.</summary>
        public static ConstructorInfo Constructor(Type type, params Type[] arguments)
        {
            return type.GetConstructors().FirstOrDefault(constructor =>
            {
                var parameters = constructor.GetParameters();
                return parameters.Length == arguments.Length
                    && parameters.Select((parameter, i) => WithoutReference(parameter).IsAssignableFrom(arguments[i])).All(fits => fits);
            });
        }

        /// <summary>The arguments of a call: the given ones, then the defaults of the other parameters.</summary>
        public static object[] Arguments(MethodBase method, params object[] given)
        {
            return method.GetParameters().Select((parameter, i) => i < given.Length ? given[i] : DefaultOf(parameter)).ToArray();
        }

        /// <summary>Makes an object.</summary>
        /// <exception cref="CallException">What the constructor threw.</exception>
        public static object New(ConstructorInfo constructor, params object[] arguments)
        {
            return Call(constructor, () => constructor.Invoke(arguments));
        }

        /// <summary>Calls a method; the target of a static one is null.</summary>
        /// <exception cref="CallException">What the method threw.</exception>
        public static object Call(MethodInfo method, object target, params object[] arguments)
        {
            return Call(method, () => method.Invoke(target, arguments));
        }

        /// <summary>The value of a property or field.</summary>
        /// <exception cref="CallException">What the property threw.</exception>
        public static object Get(MemberInfo value, object target)
        {
            var property = value as PropertyInfo;
            return Call(value, () => property != null ? property.GetValue(target, null) : ((FieldInfo)value).GetValue(target));
        }

        /// <summary>
        /// A compiled reader of a property or field. Nodes are read a million times, for which Mono's reflection is three times
        /// slower. What the property throws arrives as it is.
        /// </summary>
        public static Func<object, T> Getter<T>(MemberInfo value)
        {
            var target = Expression.Parameter(typeof(object));
            var read = Expression.MakeMemberAccess(Expression.Convert(target, value.DeclaringType), value);
            return Expression.Lambda<Func<object, T>>(Expression.ConvertChecked(read, typeof(T)), target).Compile();
        }

        /// <summary>A compiled call of a method without parameters.</summary>
        public static Func<object, T> Caller<T>(MethodInfo method)
        {
            var target = Expression.Parameter(typeof(object));
            var value = Expression.Call(Expression.Convert(target, method.DeclaringType), method);
            return Expression.Lambda<Func<object, T>>(Expression.Convert(value, typeof(T)), target).Compile();
        }

        /// <summary>The actual exception, without those that reflection and the runtime wrap around it.</summary>
        public static Exception Unwrap(Exception exception)
        {
            while (true)
            {
                var isWrapper = exception is TargetInvocationException || exception is TypeInitializationException || exception is CallException;
                var inner = isWrapper
                    ? exception.InnerException
                    : (exception as ReflectionTypeLoadException)?.LoaderExceptions.FirstOrDefault();
                if (inner == null)
                {
                    return exception;
                }

                exception = inner;
            }
        }

        /// <summary>Whether an exception says that libraries don't fit together, and nothing about the snapshot.</summary>
        public static bool IsLoading(Exception exception)
        {
            // the runtime names an assembly where others name a file; and what a runtime lacks is no fault of the snapshot's
            var isAssembly = (exception as FileNotFoundException)?.FileName?.Contains(", Version=") ?? false;
            return isAssembly
                || exception is FileLoadException
                || exception is BadImageFormatException
                || exception is TypeLoadException
                || exception is MissingMemberException
                || exception is PlatformNotSupportedException;
        }

        /// <summary>The type of an exception and its message, without the full stop, for sentences.</summary>
        public static string Describe(Exception exception)
        {
            return $"{exception.GetType().Name}: {exception.Message.TrimEnd('.')}";
        }

        /// <summary>The full name of a member's type and the member's name.</summary>
        public static string Describe(MemberInfo member)
        {
            return $"{member.DeclaringType?.FullName}.{member.Name}";
        }

        private static object Call(MemberInfo member, Func<object> call)
        {
            try
            {
                return call();
            }
            catch (Exception e)
            {
                throw new CallException(member, Unwrap(e));
            }
        }

        /// <summary>The properties, then the fields, that a type declares.</summary>
        private static IEnumerable<MemberInfo> ValuesOf(Type type)
        {
            return type.GetProperties(Declared).Concat<MemberInfo>(type.GetFields(Declared));
        }

        private static bool IsReadable(MemberInfo value)
        {
            var property = value as PropertyInfo;
            return property == null || (property.GetGetMethod() != null && property.GetIndexParameters().Length == 0);
        }

        /// <summary>A result, or null where a library that is needed for it can't be loaded.</summary>
        private static T Guarded<T>(Func<T> look)
            where T : class
        {
            try
            {
                return look();
            }
            catch (Exception e) when (IsLoading(Unwrap(e)))
            {
                return null;
            }
        }

        /// <summary>The type of a parameter, whether it is passed by value or by reference.</summary>
        public static Type WithoutReference(ParameterInfo parameter)
        {
            return parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType() : parameter.ParameterType;
        }

        /// <summary>What is passed for a parameter that is left out.</summary>
        public static object DefaultOf(ParameterInfo parameter)
        {
            // null becomes the default of a struct; Missing is for an optional parameter without a default
            var value = parameter.HasDefaultValue && parameter.DefaultValue != Missing.Value ? parameter.DefaultValue : null;
            var type = Nullable.GetUnderlyingType(parameter.ParameterType);
            return value != null && type != null && type.IsEnum ? Enum.ToObject(type, value) : value;
        }
    }
}
