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

        /// <summary>The public property of an object of this type, or null. One that hides another of its name wins.</summary>
        public static PropertyInfo Property(Type type, string name)
        {
            return Lineage(type)
                .SelectMany(each => each.GetProperties(Declared))
                .FirstOrDefault(each => each.Name == name && IsReadable(each));
        }

        /// <summary>The public property whose type, nullable or not, has this simple name, or null.</summary>
        public static PropertyInfo PropertyOfType(Type type, string typeName)
        {
            return Lineage(type)
                .SelectMany(each => each.GetProperties(Declared))
                .FirstOrDefault(each =>
                {
                    var propertyType = Nullable.GetUnderlyingType(each.PropertyType) ?? each.PropertyType;
                    return propertyType.Name == typeName && IsReadable(each);
                });
        }

        /// <summary>The public method of an object of this type without parameters, or null.</summary>
        public static MethodInfo Method(Type type, string name)
        {
            return Lineage(type)
                .SelectMany(each => each.GetMethods(Declared))
                .FirstOrDefault(each => each.Name == name && !each.IsGenericMethodDefinition && each.GetParameters().Length == 0);
        }

        /// <summary>
        /// The public static method whose first parameter has exactly this type and whose others may be left out; of several,
        /// the one that needs the fewest arguments, then the one with the fewest parameters. Null if there is none.
        /// </summary>
        public static MethodInfo StaticMethod(Type type, string name, Type firstParameter)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static)
                .Where(each => each.Name == name && !each.IsGenericMethodDefinition)
                .Where(each => each.GetParameters().Length > 0 && WithoutReference(each.GetParameters()[0]) == firstParameter)
                .OrderBy(each => each.GetParameters().Count(parameter => !parameter.IsOptional))
                .ThenBy(each => each.GetParameters().Length)
                .FirstOrDefault();
        }

        /// <summary>The operator that converts text to this type, explicit or implicit, or null.</summary>
        public static MethodInfo ConversionFromText(Type type)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.FlattenHierarchy)
                .Where(each => each.Name == "op_Explicit" || each.Name == "op_Implicit")
                .FirstOrDefault(each => each.GetParameters().Length == 1
                    && each.GetParameters()[0].ParameterType == typeof(string)
                    && type.IsAssignableFrom(each.ReturnType));
        }

        /// <summary>The public constructor that takes arguments of these types, or null.</summary>
        public static ConstructorInfo Constructor(Type type, params Type[] arguments)
        {
            return type.GetConstructors().FirstOrDefault(each =>
            {
                var parameters = each.GetParameters();
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

        /// <summary>The value of a property.</summary>
        /// <exception cref="CallException">What the property threw.</exception>
        public static object Get(PropertyInfo property, object target)
        {
            return Call(property, () => property.GetValue(target, null));
        }

        /// <summary>
        /// A compiled reader of a property. Nodes are read a million times, for which Mono's reflection is three times slower.
        /// What the property throws arrives as it is.
        /// </summary>
        public static Func<object, T> Getter<T>(PropertyInfo property)
        {
            var target = Expression.Parameter(typeof(object));
            var value = Expression.Property(Expression.Convert(target, property.DeclaringType), property);
            return Expression.Lambda<Func<object, T>>(Expression.ConvertChecked(value, typeof(T)), target).Compile();
        }

        /// <summary>A compiled call of a method without parameters.</summary>
        public static Func<object, T> Caller<T>(MethodInfo method)
        {
            var target = Expression.Parameter(typeof(object));
            var value = Expression.Call(Expression.Convert(target, method.DeclaringType), method);
            return Expression.Lambda<Func<object, T>>(Expression.Convert(value, typeof(T)), target).Compile();
        }

        /// <summary>The exception that tells what happened, inside those in which reflection and the runtime wrap it.</summary>
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
            // the runtime names an assembly where others name a file
            var isAssembly = (exception as FileNotFoundException)?.FileName?.Contains(", Version=") ?? false;
            return isAssembly
                || exception is FileLoadException
                || exception is BadImageFormatException
                || exception is TypeLoadException
                || exception is MissingMemberException;
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

        private static bool IsReadable(PropertyInfo property)
        {
            return property.GetGetMethod() != null && property.GetIndexParameters().Length == 0;
        }

        private static Type WithoutReference(ParameterInfo parameter)
        {
            return parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType() : parameter.ParameterType;
        }

        private static object DefaultOf(ParameterInfo parameter)
        {
            // null makes the default of a struct; Missing stands where a parameter is optional and has no default
            var value = parameter.HasDefaultValue && parameter.DefaultValue != Missing.Value ? parameter.DefaultValue : null;
            var type = Nullable.GetUnderlyingType(parameter.ParameterType);
            return value != null && type != null && type.IsEnum ? Enum.ToObject(type, value) : value;
        }
    }
}
