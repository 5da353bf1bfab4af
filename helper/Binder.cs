using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>Looks up types and members in the libraries of an install, and keeps what it found and what it didn't.</summary>
    internal sealed class Binder
    {
        private readonly Install install;
        private readonly AssemblyResolver resolver;
        private readonly List<Library> libraries;
        private readonly List<Lookup> lookups = new List<Lookup>();

        /// <summary>Loads the libraries of an install.</summary>
        public Binder(Install install)
        {
            this.install = install;
            resolver = new AssemblyResolver(install);
            libraries = Contract.Assemblies.Select(name => Library.Load(name, install)).ToList();
        }

        /// <summary>The libraries, found or not.</summary>
        public IReadOnlyList<Library> Libraries => libraries;

        /// <summary>Every look-up so far.</summary>
        public IReadOnlyList<Lookup> Lookups => lookups;

        /// <summary>A list of the libraries and of what they asked for in vain, for details of errors.</summary>
        public string Inventory
        {
            get
            {
                var lines = libraries.Select(each => each.Assembly != null ? Library.Describe(each.Assembly)
                    : each.Failure != null ? $"{each.Name}: {each.Path}: {each.Failure.Message}"
                    : $"{each.Name}: not found");
                var missing = resolver.Unresolved.Select(each => $"{each}: asked for and not found");
                return string.Join("\n", lines.Concat(missing));
            }
        }

        /// <summary>What the runtime was asked for and nobody found, as the end of a sentence; empty if there is nothing.</summary>
        public string UnresolvedNote => resolver.Unresolved.Count == 0
            ? ""
            : $" ({string.Join(", ", resolver.Unresolved)} was needed and is in none of the folders)";

        /// <summary>The folders of the install as a list for sentences.</summary>
        public string Folders => string.Join(", ", install.Folders);

        /// <summary>Finds a type in its assembly or in another of the libraries.</summary>
        public Type Type(TypeName name, Use use = Use.Reading)
        {
            Exception failure = null;
            var loaded = libraries.Where(each => each.Assembly != null);
            foreach (var library in loaded.OrderBy(each => each.Name == name.Assembly ? 0 : 1))
            {
                try
                {
                    // the answer null would hide that the type is there and something that it needs is not
                    var type = library.Assembly.GetType(name.FullName, throwOnError: true);
                    lookups.Add(new Lookup(name.FullName, null, use, type.Assembly, null));
                    return type;
                }
                catch (Exception e)
                {
                    var cause = Reflect.Unwrap(e);
                    failure = cause is TypeLoadException ? failure : failure ?? cause;
                }
            }

            lookups.Add(new Lookup(name.FullName, null, use, null, Missing(name, failure)));
            return null;
        }

        /// <summary>Finds a member of a type; of a missing type, which was told already, nothing is looked up.</summary>
        /// <param name="type">The type, or null if it is missing.</param>
        /// <param name="name">How the member is written in sentences.</param>
        /// <param name="find">Finds it, or gives null.</param>
        /// <param name="use">What it is needed for.</param>
        public T Member<T>(Type type, string name, Func<Type, T> find, Use use = Use.Reading)
            where T : MemberInfo
        {
            if (type == null)
            {
                return null;
            }

            T member = null;
            string why;
            try
            {
                member = find(type);
                why = $"{name} of {type.FullName} is missing in {Library.Describe(type.Assembly)}";
            }
            catch (Exception e)
            {
                why = $"{name} of {type.FullName} in {Library.Describe(type.Assembly)} can't be looked up: "
                    + Reflect.Unwrap(e).Message + UnresolvedNote;
            }

            lookups.Add(new Lookup(type.FullName, name, use, type.Assembly, member != null ? null : Advise(why)));
            return member;
        }

        /// <summary>Finds a readable property whose type fits.</summary>
        /// <param name="type">The type, or null if it is missing.</param>
        /// <param name="name">The property.</param>
        /// <param name="fits">Whether the property's type is one that can be used.</param>
        /// <param name="expected">What <paramref name="fits"/> wants, for sentences.</param>
        /// <param name="use">What it is needed for.</param>
        public PropertyInfo Property(Type type, string name, Func<Type, bool> fits, string expected, Use use = Use.Reading)
        {
            var property = Member(type, name, each => Reflect.Property(each, name), use);
            if (property == null || fits(property.PropertyType))
            {
                return property;
            }

            var problem = $"{name} of {type.FullName} in {Library.Describe(type.Assembly)} "
                + $"is of type {property.PropertyType.FullName}, expected {expected}";
            lookups[lookups.Count - 1] = new Lookup(type.FullName, name, use, type.Assembly, Advise(problem));
            return null;
        }

        /// <summary>Makes sure that everything was found that is needed for something.</summary>
        /// <exception cref="StageException">Bind: something was not.</exception>
        public void Require(Use use)
        {
            var broken = libraries.FirstOrDefault(each => each.Failure != null);
            if (broken != null)
            {
                throw new StageException(
                    Stage.Bind,
                    Advise($"the library {broken.Path} can't be loaded: {broken.Failure.Message.TrimEnd('.')}"),
                    Inventory + "\n" + broken.Failure);
            }

            var problems = lookups.Where(each => each.Use == use && each.Problem != null).Select(each => each.Problem).ToList();
            if (problems.Count > 0)
            {
                throw new StageException(Stage.Bind, problems[0], string.Join("\n", problems) + "\n" + Inventory);
            }
        }

        private string Missing(TypeName name, Exception failure)
        {
            var library = libraries.First(each => each.Name == name.Assembly);
            if (library.Assembly == null)
            {
                return Advise($"the type {name.FullName} is missing: its assembly {name.Assembly} is in none of the folders {Folders}");
            }

            var described = Library.Describe(library.Assembly);
            var reason = failure?.Message ?? "something that it needs is missing";
            return failure != null || resolver.Unresolved.Count > 0
                ? Advise($"the type {name.FullName} in {described} can't be loaded: {reason}{UnresolvedNote}")
                : Advise($"the type {name.FullName} is missing in {described} and in the libraries beside it");
        }

        private static string Advise(string problem)
        {
            return problem + "; give the folder of a complete Rider or dotTrace, perhaps of another version, with --dottrace-dir";
        }
    }
}
