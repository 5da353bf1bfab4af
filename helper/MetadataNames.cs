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
    /// Public sources give the names of these types, but not which members lead from one to the other. So the steps between
    /// them are looked up by type: any public member that takes the one and gives the other.
    /// </remarks>
    internal sealed class MetadataNames
    {
        private const string NoName = "a method has no name but that in the metadata, and it can't be looked up";

        private readonly Binder binder;
        private readonly Type converter;
        private readonly Type section;
        private readonly MethodInfo execute;
        private readonly MethodInfo getItems;
        private readonly SignatureMembers items;
        private readonly Dictionary<object, string> known = new Dictionary<object, string>();

        private IReadOnlyList<object> parts;
        private Route route;

        /// <summary>Looks the types up; whether they are there matters only when a name is needed.</summary>
        public MetadataNames(Binder binder)
        {
            this.binder = binder;
            converter = binder.Type(Contract.FuidToMetadataIdConverter, Use.Names);
            section = binder.Type(Contract.MetadataSection, Use.Names);
            execute = binder.Member(
                section, $"{Contract.ExecuteWithMetadataAssemblyProvider}(func, argument)", FindExecute, Use.Names);
            var helpers = binder.Type(Contract.MetadataSectionHelpers, Use.Names);
            getItems = binder.Member(helpers, $"{Contract.GetFunctionItemsLight}(provider, id)", FindGetItems, Use.Names);
            items = getItems == null ? null : new SignatureMembers(binder, getItems.ReturnType, Use.Names);
        }

        /// <summary>Why no name can be asked for, or null: a type or member is missing, or the snapshot has no metadata.</summary>
        public StageException Problem { get; private set; }

        /// <summary>A function's number for people.</summary>
        public static string Describe(object function)
        {
            // a structure that doesn't say otherwise gives the name of its type
            var text = function.ToString();
            return text == function.GetType().FullName ? "without a number" : text;
        }

        /// <summary>Finds the metadata of a snapshot.</summary>
        /// <param name="snapshotParts">The objects that know the snapshot, the most specific first.</param>
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

        /// <summary>The type and method of a function; null if the metadata doesn't know it, or with a <see cref="Problem"/>.</summary>
        /// <exception cref="StageException">Metadata: the metadata can't be read.</exception>
        public string NameOf(object function)
        {
            if (known.TryGetValue(function, out var name) || Problem != null)
            {
                return name;
            }

            try
            {
                route = route ?? FindRoute(function.GetType());
            }
            catch (StageException e)
            {
                Problem = e;
                return null;
            }

            name = Read(function);
            known.Add(function, name);
            return name;
        }

        private string Read(object function)
        {
            object id;
            try
            {
                id = route.ToMetadataId(function);
            }
            catch (CallException e) when (!Reflect.IsLoading(e.InnerException))
            {
                // native and other special functions have no metadata
                return null;
            }

            try
            {
                return id == null ? null : (string)Reflect.Call(route.Execute, route.Section, route.NameOfItems, id);
            }
            catch (CallException e)
            {
                var member = $"{Reflect.Describe(e.Member)} in {Library.Describe(e.Member.DeclaringType.Assembly)}";
                throw new StageException(
                    Stage.Metadata,
                    $"the name of function {Describe(function)} can't be read: {member} failed: {Reflect.Describe(e.InnerException)}; "
                        + "try a newer dotTrace or Rider with --dottrace-dir",
                    e.InnerException + "\n" + binder.Inventory);
            }
        }

        private Route FindRoute(Type uid)
        {
            var constructor = converter.GetConstructors()
                .FirstOrDefault(each => each.GetParameters().All(parameter => Part(parameter.ParameterType) != null));
            if (constructor == null)
            {
                throw Lost($"no constructor of {converter.FullName} takes what is at hand");
            }

            var target = Make(constructor);
            var metadataId = getItems.GetParameters()[1].ParameterType;
            var direct = Step(target, uid, Contract.MetadataId);
            var first = Step(target, uid, Contract.FunctionId);
            var second = first == null ? null : Step(target, first.Item1, Contract.MetadataId);
            if (second == null && direct == null)
            {
                throw Lost($"no member of {converter.FullName} leads from {uid.FullName} to {metadataId.FullName}");
            }

            return new Route
            {
                ToMetadataId = second == null ? direct.Item2 : function => second.Item2(first.Item2(function)),
                Section = FindSection(),
                Execute = Close(execute, metadataId),
                NameOfItems = NameOfItems(metadataId),
            };
        }

        private object Make(ConstructorInfo constructor)
        {
            try
            {
                var arguments = constructor.GetParameters().Select(parameter => Part(parameter.ParameterType));
                return Reflect.New(constructor, arguments.ToArray());
            }
            catch (CallException e)
            {
                throw Lost($"{converter.FullName} can't be made: {Reflect.Describe(e.InnerException)}");
            }
        }

        private object Part(Type type)
        {
            return parts.FirstOrDefault(type.IsInstanceOfType);
        }

        /// <summary>What leads from one type to another: a method of the converter, or a property of the value.</summary>
        /// <returns>The type that it gives, and the step itself; null if there is none.</returns>
        private static Tuple<Type, Func<object, object>> Step(object converter, Type from, string to)
        {
            var method = converter.GetType().GetMethods(BindingFlags.Public | BindingFlags.Instance)
                .FirstOrDefault(each => each.ReturnType.Name == to
                    && each.GetParameters().Length == 1
                    && each.GetParameters()[0].ParameterType == from);
            if (method != null)
            {
                return Tuple.Create<Type, Func<object, object>>(
                    method.ReturnType, value => Reflect.Call(method, converter, value));
            }

            var property = Reflect.PropertyOfType(from, to);
            return property == null
                ? null
                : Tuple.Create<Type, Func<object, object>>(property.PropertyType, value => Reflect.Get(property, value));
        }

        private object FindSection()
        {
            var properties = parts
                .Select(part => new { Part = part, Property = Reflect.PropertyOfType(part.GetType(), section.Name) })
                .Where(each => each.Property != null)
                .ToList();
            try
            {
                return properties.Select(each => Reflect.Get(each.Property, each.Part)).FirstOrDefault(each => each != null)
                    ?? throw Lost("the snapshot has no metadata section");
            }
            catch (CallException e)
            {
                throw Lost($"{Reflect.Describe(e.Member)} failed: {Reflect.Describe(e.InnerException)}");
            }
        }

        /// <summary>A delegate of the type that <see cref="execute"/> takes, which names the function with a metadata id.</summary>
        private Delegate NameOfItems(Type metadataId)
        {
            // the provider is gone when the call returns, so the name is taken out of its answer before
            Func<object, string> name = answer => answer == null ? null : items.Name(answer);
            var id = Expression.Parameter(metadataId);
            var provider = Expression.Parameter(execute.GetParameters()[0].ParameterType.GetGenericArguments()[1]);
            var entry = Expression.Convert(Expression.Call(getItems, provider, id), typeof(object));
            var type = typeof(Func<,,>).MakeGenericType(metadataId, provider.Type, typeof(string));
            return Expression.Lambda(type, Expression.Invoke(Expression.Constant(name), entry), id, provider).Compile();
        }

        /// <summary>The generic method with its parameters filled in, in whichever order they are declared.</summary>
        private static MethodInfo Close(MethodInfo method, Type argument)
        {
            var parameter = method.GetParameters()[1].ParameterType;
            var arguments = method.GetGenericArguments().Select(each => each == parameter ? argument : typeof(string));
            return method.MakeGenericMethod(arguments.ToArray());
        }

        private static MethodInfo FindExecute(Type type)
        {
            return Reflect.Lineage(type)
                .SelectMany(each => each.GetMethods())
                .FirstOrDefault(each => each.Name == Contract.ExecuteWithMetadataAssemblyProvider
                    && each.IsGenericMethodDefinition
                    && each.GetGenericArguments().Length == 2
                    && each.GetParameters().Length == 2
                    && each.GetParameters()[0].ParameterType.Name == typeof(Func<,,>).Name);
        }

        private static MethodInfo FindGetItems(Type type)
        {
            return type.GetMethods(BindingFlags.Public | BindingFlags.Static)
                .FirstOrDefault(each => each.Name == Contract.GetFunctionItemsLight
                    && each.GetParameters().Length == 2
                    && each.GetParameters()[1].ParameterType.Name == Contract.MetadataId);
        }

        private StageException Lost(string problem)
        {
            return new StageException(
                Stage.Metadata,
                $"{NoName}: {problem}; try a newer dotTrace or Rider with --dottrace-dir",
                binder.Inventory);
        }

        /// <summary>The way from a function's number to its name in one snapshot.</summary>
        private sealed class Route
        {
            /// <summary>Gives the number in the metadata.</summary>
            public Func<object, object> ToMetadataId;

            /// <summary>The metadata.</summary>
            public object Section;

            /// <summary>The method of <see cref="Section"/> that lends a provider.</summary>
            public MethodInfo Execute;

            /// <summary>What it is called with.</summary>
            public Delegate NameOfItems;
        }
    }
}
