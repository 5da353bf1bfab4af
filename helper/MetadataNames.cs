using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;

namespace Dotspot.Dtp
{
    // A snapshot's metadata names functions by their numbers: FunctionUID → FunctionId → MetadataId → the function's
    // entry. Only nodes without a signature need it. Public sources contain the names of these types, but not the
    // members that lead from one to the next, so these are looked up by type: any public member that takes the one and
    // returns the other.
    internal sealed class MetadataNames
    {
        private const string NoName = "the only name of a method is in the metadata, where it can't be looked up";

        private readonly Binder binder;
        private readonly Type converter;
        private readonly Type section;
        private readonly MethodInfo execute;
        private readonly MethodInfo getItems;
        private readonly SignatureMembers items;
        private readonly Dictionary<object, Answer> known = new Dictionary<object, Answer>();

        private IReadOnlyList<object> parts;
        private Route route;

        // Missing types matter only when a name is needed.
        public MetadataNames(Binder binder)
        {
            this.binder = binder;
            converter = binder.Type(Contract.FuidToMetadataIdConverter, Use.Names);
            section = binder.Type(Contract.MetadataSection, Use.Names);
            execute = binder.Member(
                section, $"{Contract.ExecuteWithMetadataAssemblyProvider}(func, argument)", FindExecute, Use.Names);
            var helpers = binder.Type(Contract.MetadataSectionHelpers, Use.Names);
            getItems = binder.Member(helpers, $"{Contract.GetFunctionItemsLight}(provider, id)", FindGetItems, Use.Names);
            items = getItems == null ? null : new SignatureMembers(binder, Reflect.WithoutNullable(getItems.ReturnType), Use.Names);
        }

        // This is null if names can be looked up.
        private StageException Problem { get; set; }

        public static string Describe(object function)
        {
            // by default, a structure returns the name of its type
            var text = function.ToString();
            return text == function.GetType().FullName ? "without a number" : text;
        }

        // The most specific part of the snapshot comes first.
        public void Attach(IReadOnlyList<object> snapshotParts)
        {
            parts = snapshotParts;
            try
            {
                binder.Require(Use.Names);
            }
            catch (StageException e)
            {
                Problem = new StageException(Stage.Metadata, $"{NoName}: {e.Message}", e.Detail);
            }
        }

        // The name is null if the metadata doesn't know the function, or if there is a problem.
        public string NameOf(object function, out StageException problem)
        {
            problem = Problem;
            if (problem != null)
            {
                return null;
            }

            if (!known.TryGetValue(function, out var answer))
            {
                answer = Ask(function);
                known.Add(function, answer);
            }

            problem = answer.Problem;
            return answer.Name;
        }

        private Answer Ask(object function)
        {
            try
            {
                route = route ?? FindRoute(function.GetType());
            }
            catch (Exception e)
            {
                var cause = Reflect.Unwrap(e);
                Problem = cause as StageException ?? Lost(Reflect.Describe(cause));
                return new Answer(null, Problem);
            }

            try
            {
                return new Answer(Read(function), null);
            }
            catch (CallException e) when (!Reflect.IsLoading(e.InnerException))
            {
                var member = $"{Reflect.Describe(e.Member)} in {Library.Describe(e.Member.DeclaringType.Assembly)}";
                var problem = new StageException(
                    Stage.Metadata,
                    $"the name of function {Describe(function)} can't be read: {member} failed: {Reflect.Describe(e.InnerException)}; "
                        + "try a newer dotTrace or Rider with --dottrace-dir",
                    e.InnerException + "\n" + binder.Inventory);
                return new Answer(null, problem);
            }
        }

        private string Read(object function)
        {
            object id;
            try
            {
                id = route.ToMetadataId(function);
            }
            catch (CallException e) when (IsNotFound(e.InnerException))
            {
                // native and other special functions have no metadata
                return null;
            }

            return id == null
                ? null
                : (string)Reflect.Call(route.Execute, route.Section, Reflect.Arguments(route.Execute, route.NameOfItems, id));
        }

        // .NET's collections throw these exceptions for a missing item.
        private static bool IsNotFound(Exception e)
        {
            return e is KeyNotFoundException || e is ArgumentOutOfRangeException || e is IndexOutOfRangeException;
        }

        private Route FindRoute(Type uid)
        {
            var target = MakeConverter();
            var metadataId = Reflect.WithoutNullable(Reflect.WithoutReference(getItems.GetParameters()[1]));
            var direct = Step(target, uid, Contract.MetadataId);
            var first = Step(target, uid, Contract.FunctionId);
            var second = first == null ? null : Step(target, first.Item1, Contract.MetadataId);
            if (second == null && direct == null)
            {
                throw Lost($"no member of {converter.FullName} leads from {uid.FullName} to {metadataId.FullName}");
            }

            return new Route
            {
                ToMetadataId = second == null ? direct.Item2 : function => Then(first.Item2(function), second.Item2),
                Section = FindSection(),
                Execute = Close(execute, metadataId),
                NameOfItems = NameOfItems(metadataId),
            };
        }

        private static object Then(object value, Func<object, object> step)
        {
            return value == null ? null : step(value);
        }

        private object MakeConverter()
        {
            foreach (var constructor in converter.GetConstructors())
            {
                var parameters = constructor.GetParameters();
                var arguments = parameters.Select(parameter => AtHand(Reflect.WithoutReference(parameter))).ToArray();
                var fits = parameters.Select((parameter, i) => arguments[i] != null || parameter.IsOptional).All(isThere => isThere);
                if (!fits)
                {
                    continue;
                }

                try
                {
                    var all = parameters.Select((parameter, i) => arguments[i] ?? Reflect.DefaultOf(parameter)).ToArray();
                    return Reflect.New(constructor, all);
                }
                catch (CallException e)
                {
                    throw Lost($"{converter.FullName} can't be made: {Reflect.Describe(e.InnerException)}");
                }
            }

            throw Lost($"no constructor of {converter.FullName} takes the arguments that dotspot has");
        }

        // This finds a part that has the type, or a member of a part that has it.
        private object AtHand(Type type)
        {
            var part = parts.FirstOrDefault(type.IsInstanceOfType);
            if (part != null || type.IsPrimitive || type == typeof(string) || type == typeof(object))
            {
                // a text or number of a part is hardly the right one
                return part;
            }

            var values = parts.SelectMany(owner => Reflect.Values(owner.GetType())
                .Where(value => type.IsAssignableFrom(Reflect.TypeOf(value)))
                .Select(value => Reflect.Get(value, owner)));
            return values.FirstOrDefault(value => value != null);
        }

        // A step is a method of the converter, or a property or field of the value.
        private static Tuple<Type, Func<object, object>> Step(object converter, Type from, string to)
        {
            var method = converter.GetType().GetMethods(BindingFlags.Public | BindingFlags.Instance)
                .FirstOrDefault(candidate => Reflect.WithoutNullable(candidate.ReturnType).Name == to && TakesOne(candidate, from));
            if (method != null)
            {
                return Tuple.Create<Type, Func<object, object>>(
                    Reflect.WithoutNullable(method.ReturnType),
                    value => Reflect.Call(method, converter, Reflect.Arguments(method, value)));
            }

            var member = Reflect.ValueOfType(from, to);
            return member == null
                ? null
                : Tuple.Create<Type, Func<object, object>>(
                    Reflect.WithoutNullable(Reflect.TypeOf(member)), value => Reflect.Get(member, value));
        }

        private static bool TakesOne(MethodInfo method, Type type)
        {
            var parameters = method.GetParameters();
            return parameters.Length > 0
                && Reflect.WithoutNullable(Reflect.WithoutReference(parameters[0])) == type
                && parameters.Skip(1).All(parameter => parameter.IsOptional);
        }

        private object FindSection()
        {
            try
            {
                return AtHand(section) ?? throw Lost("the snapshot has no metadata section");
            }
            catch (CallException e)
            {
                throw Lost($"{Reflect.Describe(e.Member)} failed: {Reflect.Describe(e.InnerException)}");
            }
        }

        // The delegate has the type that `execute` takes.
        private Delegate NameOfItems(Type metadataId)
        {
            // the provider is disposed when the call returns, so the name is extracted before
            Func<object, string> name = answer => answer == null ? null : items.Name(answer);
            var id = Expression.Parameter(metadataId);
            var provider = Expression.Parameter(execute.GetParameters()[0].ParameterType.GetGenericArguments()[1]);
            var given = new Expression[] { provider, id };
            var arguments = getItems.GetParameters().Select((parameter, i) => i < given.Length ? Passed(given[i], parameter) : Default(parameter));
            var entry = Expression.Convert(Expression.Call(getItems, arguments), typeof(object));
            var type = typeof(Func<,,>).MakeGenericType(metadataId, provider.Type, typeof(string));
            return Expression.Lambda(type, Expression.Invoke(Expression.Constant(name), entry), id, provider).Compile();
        }

        private static Expression Passed(Expression argument, ParameterInfo parameter)
        {
            var type = Reflect.WithoutReference(parameter);
            return argument.Type == type ? argument : Expression.Convert(argument, type);
        }

        private static Expression Default(ParameterInfo parameter)
        {
            var type = Reflect.WithoutReference(parameter);
            var value = Reflect.DefaultOf(parameter);
            return value == null ? (Expression)Expression.Default(type) : Expression.Convert(Expression.Constant(value), type);
        }

        // The type parameters may be in any order.
        private static MethodInfo Close(MethodInfo method, Type argument)
        {
            var parameter = method.GetParameters()[1].ParameterType;
            var arguments = method.GetGenericArguments().Select(generic => generic == parameter ? argument : typeof(string));
            return method.MakeGenericMethod(arguments.ToArray());
        }

        private static MethodInfo FindExecute(Type type)
        {
            return Reflect.Lineage(type)
                .SelectMany(declaring => declaring.GetMethods())
                .FirstOrDefault(method => method.Name == Contract.ExecuteWithMetadataAssemblyProvider
                    && method.IsGenericMethodDefinition
                    && method.GetGenericArguments().Length == 2
                    && TakesTwo(method)
                    && method.GetParameters()[0].ParameterType.Name == typeof(Func<,,>).Name);
        }

        private static MethodInfo FindGetItems(Type type)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static)
                .FirstOrDefault(method => method.Name == Contract.GetFunctionItemsLight
                    && TakesTwo(method)
                    && Reflect.WithoutNullable(Reflect.WithoutReference(method.GetParameters()[1])).Name == Contract.MetadataId);
        }

        private static bool TakesTwo(MethodInfo method)
        {
            var parameters = method.GetParameters();
            return parameters.Length >= 2 && parameters.Skip(2).All(parameter => parameter.IsOptional);
        }

        private StageException Lost(string problem)
        {
            return new StageException(
                Stage.Metadata,
                $"{NoName}: {problem}; try a newer dotTrace or Rider with --dottrace-dir",
                binder.Inventory);
        }

        private struct Answer
        {
            public Answer(string name, StageException problem)
            {
                Name = name;
                Problem = problem;
            }

            public string Name { get; }

            public StageException Problem { get; }
        }

        private sealed class Route
        {
            public Func<object, object> ToMetadataId;

            public object Section;

            public MethodInfo Execute;

            public Delegate NameOfItems;
        }
    }
}
