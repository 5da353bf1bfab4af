using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>
    /// The names of functions by their numbers, from the metadata that the snapshot carries: FunctionUID → FunctionId →
    /// MetadataId → the function's entry. Needed only for nodes without a signature.
    /// </summary>
    /// <remarks>
    /// Public sources contain the names of these types, but not the members that lead from one to the next. So the steps between
    /// them are looked up by type: any public member that takes the one and returns the other.
    /// </remarks>
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

        /// <summary>Looks the types up. Missing ones matter only when a name is needed.</summary>
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

        /// <summary>Why no name can be looked up, or null: a type or member is missing, or the snapshot has no metadata.</summary>
        private StageException Problem { get; set; }

        /// <summary>A function's number, for people.</summary>
        public static string Describe(object function)
        {
            // by default, a structure returns the name of its type
            var text = function.ToString();
            return text == function.GetType().FullName ? "without a number" : text;
        }

        /// <summary>Finds the metadata of a snapshot.</summary>
        /// <param name="snapshotParts">The objects of the snapshot, the most specific first.</param>
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

        /// <summary>The type and method of a function; null if the metadata doesn't know it, or with a problem.</summary>
        /// <param name="function">The function's number.</param>
        /// <param name="problem">Metadata: why the metadata can't be read; or null.</param>
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

        /// <summary>Whether an exception is one that .NET's collections throw for a missing item.</summary>
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

        /// <summary>The next step, unless the one before returned nothing.</summary>
        private static object Then(object value, Func<object, object> step)
        {
            return value == null ? null : step(value);
        }

        /// <summary>The converter, from the first constructor whose parameters are all available or optional.</summary>
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

        /// <summary>A part of the snapshot that has a type, or a member of a part that has it; null if there is none.</summary>
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

        /// <summary>The step from one type to another: a method of the converter, or a property or field of the value.</summary>
        /// <returns>The resulting type, and the step itself; null if there is none.</returns>
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

        /// <summary>Whether a method takes a value of a type and no other required parameter.</summary>
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

        /// <summary>A delegate of the type that <see cref="execute"/> takes, which names the function with a metadata id.</summary>
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

        /// <summary>An argument as expected by its parameter, which may be nullable.</summary>
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

        /// <summary>The generic method with its type arguments, whatever their order.</summary>
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

        /// <summary>A function's resolved name or problem.</summary>
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

        /// <summary>The steps from a function's number to its name in one snapshot.</summary>
        private sealed class Route
        {
            /// <summary>Returns the number in the metadata.</summary>
            public Func<object, object> ToMetadataId;

            /// <summary>The metadata.</summary>
            public object Section;

            /// <summary>The method of <see cref="Section"/> that lends a provider.</summary>
            public MethodInfo Execute;

            /// <summary>Its argument.</summary>
            public Delegate NameOfItems;
        }
    }
}
