using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    /// <summary>Finds what JetBrains' libraries depend on, in the folders of their install and nowhere else.</summary>
    internal sealed class AssemblyResolver
    {
        private readonly Install install;
        private readonly SortedSet<string> unresolved = new SortedSet<string>(StringComparer.OrdinalIgnoreCase);

        /// <summary>Answers the runtime's questions for assemblies from now on.</summary>
        public AssemblyResolver(Install install)
        {
            this.install = install;
            AppDomain.CurrentDomain.AssemblyResolve += Resolve;
        }

        /// <summary>The simple names of the assemblies that were asked for and are nowhere. They belong into errors.</summary>
        public IReadOnlyCollection<string> Unresolved => unresolved;

        private Assembly Resolve(object sender, ResolveEventArgs question)
        {
            var name = new AssemblyName(question.Name).Name;
            if (name.EndsWith(".resources", StringComparison.OrdinalIgnoreCase))
            {
                // translations are optional, and are asked for in each language
                return null;
            }

            // whatever version is there will do: the libraries of an install are made for each other
            var loaded = AppDomain.CurrentDomain.GetAssemblies()
                .FirstOrDefault(each => string.Equals(each.GetName().Name, name, StringComparison.OrdinalIgnoreCase));
            if (loaded != null)
            {
                return loaded;
            }

            var path = install.PathOf(name);
            if (path == null)
            {
                unresolved.Add(name);
                return null;
            }

            return Assembly.LoadFrom(path);
        }
    }
}
