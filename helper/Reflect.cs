using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;

namespace Dotspot.Dtp
{
    internal static class Reflect
    {
        private const BindingFlags Declared =
            BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.Instance;

        // Members are looked for in this order. Interfaces come in because what a class implements explicitly is found
        // on them only.
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

        // A member that hides another of its name wins.
        public static MemberInfo Value(Type type, string name)
        {
            return Lineage(type).SelectMany(ValuesOf).FirstOrDefault(value => value.Name == name && IsReadable(value));
        }

        // Nothing fails: a value whose type can't be loaded is not the one.
        public static MemberInfo ValueOfType(Type type, string typeName)
        {
            return Values(type).FirstOrDefault(value => WithoutNullable(TypeOf(value)).Name == typeName);
        }

        // Values whose types can't be loaded are left out.
        public static IEnumerable<MemberInfo> Values(Type type)
        {
            return Lineage(type)
                .SelectMany(declaring => Guarded(() => ValuesOf(declaring).ToList()) ?? new List<MemberInfo>())
                .Where(value => Guarded(() => IsReadable(value) ? TypeOf(value) : null) != null);
        }

        public static Type TypeOf(MemberInfo value)
        {
            return (value as PropertyInfo)?.PropertyType ?? ((FieldInfo)value).FieldType;
        }

        public static Type WithoutNullable(Type type)
        {
            return Nullable.GetUnderlyingType(type) ?? type;
        }

        public static MethodInfo Method(Type type, string name)
        {
            return Lineage(type)
                .SelectMany(declaring => declaring.GetMethods(Declared))
                .FirstOrDefault(method => method.Name == name && !method.IsGenericMethodDefinition && method.GetParameters().Length == 0);
        }

        // Of several methods, this prefers the one that needs the fewest arguments, then the one with the fewest
        // parameters.
        public static MethodInfo StaticMethod(Type type, string name, Type firstParameter)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static)
                .Where(method => method.Name == name && !method.IsGenericMethodDefinition)
                .Where(method => method.GetParameters().Length > 0 && WithoutReference(method.GetParameters()[0]) == firstParameter)
                .OrderBy(method => method.GetParameters().Count(parameter => !parameter.IsOptional))
                .ThenBy(method => method.GetParameters().Length)
                .FirstOrDefault();
        }

        public static MethodInfo ConversionFromText(Type type)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.FlattenHierarchy)
                .Where(method => method.Name == "op_Explicit" || method.Name == "op_Implicit")
                .FirstOrDefault(method => method.GetParameters().Length == 1
                    && method.GetParameters()[0].ParameterType == typeof(string)
                    && type.IsAssignableFrom(method.ReturnType));
        }

        public static ConstructorInfo Constructor(Type type, params Type[] arguments)
        {
            return type.GetConstructors().FirstOrDefault(constructor =>
            {
                var parameters = constructor.GetParameters();
                return parameters.Length == arguments.Length
                    && parameters.Select((parameter, i) => WithoutReference(parameter).IsAssignableFrom(arguments[i])).All(fits => fits);
            });
        }

        public static object[] Arguments(MethodBase method, params object[] given)
        {
            return method.GetParameters().Select((parameter, i) => i < given.Length ? given[i] : DefaultOf(parameter)).ToArray();
        }

        public static object New(ConstructorInfo constructor, params object[] arguments)
        {
            return Call(constructor, () => constructor.Invoke(arguments));
        }

        public static object Call(MethodInfo method, object target, params object[] arguments)
        {
            return Call(method, () => method.Invoke(target, arguments));
        }

        public static object Get(MemberInfo value, object target)
        {
            var property = value as PropertyInfo;
            return Call(value, () => property != null ? property.GetValue(target, null) : ((FieldInfo)value).GetValue(target));
        }

        // Nodes are read a million times, for which Mono's reflection is three times slower. What the property throws
        // arrives as it is.
        public static Func<object, T> Getter<T>(MemberInfo value)
        {
            var target = Expression.Parameter(typeof(object));
            var read = Expression.MakeMemberAccess(Expression.Convert(target, value.DeclaringType), value);
            return Expression.Lambda<Func<object, T>>(Expression.ConvertChecked(read, typeof(T)), target).Compile();
        }

        public static Func<object, T> Caller<T>(MethodInfo method)
        {
            var target = Expression.Parameter(typeof(object));
            var value = Expression.Call(Expression.Convert(target, method.DeclaringType), method);
            return Expression.Lambda<Func<object, T>>(Expression.Convert(value, typeof(T)), target).Compile();
        }

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

        // Such an exception says that libraries don't fit together, and nothing about the snapshot.
        public static bool IsLoading(Exception exception)
        {
            // the runtime names an assembly where others name a file; what a runtime lacks is not the snapshot's fault
            var isAssembly = (exception as FileNotFoundException)?.FileName?.Contains(", Version=") ?? false;
            return isAssembly
                || exception is FileLoadException
                || exception is BadImageFormatException
                || exception is TypeLoadException
                || exception is MissingMemberException
                || exception is PlatformNotSupportedException;
        }

        public static string Describe(Exception exception)
        {
            return $"{exception.GetType().Name}: {exception.Message.TrimEnd('.')}";
        }

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

        private static IEnumerable<MemberInfo> ValuesOf(Type type)
        {
            return type.GetProperties(Declared).Concat<MemberInfo>(type.GetFields(Declared));
        }

        private static bool IsReadable(MemberInfo value)
        {
            var property = value as PropertyInfo;
            return property == null || (property.GetGetMethod() != null && property.GetIndexParameters().Length == 0);
        }

        // The result is null if a library that is needed for it can't be loaded.
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

        public static Type WithoutReference(ParameterInfo parameter)
        {
            return parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType() : parameter.ParameterType;
        }

        public static object DefaultOf(ParameterInfo parameter)
        {
            // null becomes the default of a struct; Missing is for an optional parameter without a default
            var value = parameter.HasDefaultValue && parameter.DefaultValue != Missing.Value ? parameter.DefaultValue : null;
            var type = Nullable.GetUnderlyingType(parameter.ParameterType);
            return value != null && type != null && type.IsEnum ? Enum.ToObject(type, value) : value;
        }
    }
}
