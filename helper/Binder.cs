using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    internal sealed class Binder
    {
        private readonly Install install;
        private readonly AssemblyResolver resolver;
        private readonly List<Library> libraries;
        private readonly List<Lookup> lookups = new List<Lookup>();

        public Binder(Install install)
        {
            this.install = install;
            resolver = new AssemblyResolver(install);
            libraries = Contract.Assemblies.Select(name => Library.Load(name, install)).ToList();
        }

        public IReadOnlyList<Library> Libraries => libraries;

        public IReadOnlyList<Lookup> Lookups => lookups;

        public string Inventory
        {
            get
            {
                var lines = libraries.Select(library => library.Assembly != null ? Library.Describe(library.Assembly)
                    : library.Failure != null ? $"{library.Name}: {library.Path}: {library.Failure}"
                    : $"{library.Name}: not found");
                var missing = resolver.Unresolved.Select(name => $"{name}: asked for and not found");
                return string.Join("\n", lines.Concat(missing));
            }
        }

        // This ends a sentence, and is empty if nothing is missing.
        public string UnresolvedNote
        {
            get
            {
                var missing = resolver.Unresolved;
                return missing.Count == 0 ? "" : $" ({string.Join(", ", missing)} was needed and is in none of the folders)";
            }
        }

        public string Folders => string.Join(", ", install.Folders);

        // If the libraries were built for another runtime, the failure says so, since no other folder would help. The
        // problem is a sentence without advice.
        public StageException Unfit(string problem, string detail)
        {
            var library = libraries.FirstOrDefault(candidate => candidate.Name == Contract.CentralAssembly && candidate.Path != null)
                ?? libraries.FirstOrDefault(candidate => candidate.Path != null);
            var target = TargetFramework.Of(library?.Path);
            var conflict = target?.Conflict;
            var sentence = conflict == null
                ? $"{problem}; give the folder of a complete Rider or dotTrace, perhaps of another version, with --dottrace-dir"
                : $"{conflict} ({problem}); {target.Advice}";
            return new StageException(Stage.Bind, sentence, detail + "\n" + Inventory);
        }

        // All libraries are searched: types move between releases.
        public Type Type(TypeName name, Use use = Use.Reading)
        {
            Exception failure = null;
            var loaded = libraries.Where(library => library.Assembly != null);
            foreach (var library in loaded.OrderBy(candidate => candidate.Name == name.Assembly ? 0 : 1))
            {
                try
                {
                    // returning null would hide that the type exists but one of its dependencies doesn't
                    var type = library.Assembly.GetType(name.FullName, throwOnError: true);
                    lookups.Add(new Lookup(name.FullName, null, use, type.Assembly, null));
                    return type;
                }
                catch (Exception e)
                {
                    var cause = Reflect.Unwrap(e);
                    var isAbsent = (cause as TypeLoadException)?.TypeName == name.FullName;
                    failure = failure ?? (isAbsent ? null : cause);
                }
            }

            lookups.Add(new Lookup(name.FullName, null, use, null, Missing(name, failure)));
            return null;
        }

        // A type that is null is missing, which has been reported already.
        public T Member<T>(Type type, string name, Func<Type, T> find, Use use = Use.Reading, bool isOptional = false)
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
                if (member == null && isOptional)
                {
                    return null;
                }

                why = $"{name} of {type.FullName} is missing in {Library.Describe(type.Assembly)}";
            }
            catch (Exception e)
            {
                why = $"{name} of {type.FullName} in {Library.Describe(type.Assembly)} can't be looked up: "
                    + Reflect.Unwrap(e).Message + UnresolvedNote;
            }

            lookups.Add(new Lookup(type.FullName, name, use, type.Assembly, member != null ? null : why));
            return member;
        }

        // `expected` says in messages what `fits` accepts.
        public MemberInfo Value(Type type, string name, Func<Type, bool> fits, string expected, Use use = Use.Reading)
        {
            var value = Member(type, name, declaring => Reflect.Value(declaring, name), use);
            if (value == null || fits(Reflect.TypeOf(value)))
            {
                return value;
            }

            var problem = $"{name} of {type.FullName} in {Library.Describe(type.Assembly)} "
                + $"is of type {Reflect.TypeOf(value).FullName}, expected {expected}";
            lookups[lookups.Count - 1] = new Lookup(type.FullName, name, use, type.Assembly, problem);
            return null;
        }

        // A member that a declared type lacks is no problem yet if the objects may be of other types.
        public T AsFarAsDeclared<T>(Type type, Func<Type, T> look)
        {
            var before = lookups.Count;
            var members = look(type);
            for (var i = before; i < lookups.Count && (type.IsAbstract || type == typeof(object)); i++)
            {
                var lookup = lookups[i];
                if (lookup.Problem != null)
                {
                    lookups[i] = new Lookup(lookup.Type, lookup.Member, Use.ReadingLater, lookup.Assembly, "known only with a snapshot");
                }
            }

            return members;
        }

        public void Require(Use use)
        {
            var problems = lookups
                .Where(lookup => lookup.Use == use && lookup.Problem != null)
                .Select(lookup => lookup.Problem)
                .ToList();
            if (problems.Count > 0)
            {
                throw Unfit(problems[0], string.Join("\n", problems));
            }
        }

        private string Missing(TypeName name, Exception failure)
        {
            var home = libraries.First(library => library.Name == name.Assembly);
            if (home.Failure != null)
            {
                return $"the type {name.FullName} is missing: the library {Unloaded(home)}";
            }

            if (home.Assembly == null)
            {
                return $"the type {name.FullName} is missing: its assembly {name.Assembly} is in none of the folders {Folders}";
            }

            var described = Library.Describe(home.Assembly);
            if (failure != null || resolver.Unresolved.Count > 0)
            {
                var reason = failure == null ? "something that it needs is missing" : failure.Message.TrimEnd('.');
                return $"the type {name.FullName} in {described} can't be loaded: {reason}{UnresolvedNote}";
            }

            // types move between libraries, so one that can't be loaded may have it
            var broken = libraries.FirstOrDefault(library => library.Failure != null);
            var note = broken == null ? "" : $", and the library {Unloaded(broken)}";
            return $"the type {name.FullName} is missing in {described} and in the libraries beside it{note}";
        }

        private static string Unloaded(Library library)
        {
            return $"{library.Path} can't be loaded: {library.Failure.Message.TrimEnd('.')}";
        }
    }
}
