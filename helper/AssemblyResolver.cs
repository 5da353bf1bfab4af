using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Dotspot.Dtp
{
    // Dependencies are resolved only within the folders of the install.
    internal sealed class AssemblyResolver
    {
        private readonly Install install;
        private readonly SortedSet<string> unresolved = new SortedSet<string>(StringComparer.OrdinalIgnoreCase);

        public AssemblyResolver(Install install)
        {
            this.install = install;
            AppDomain.CurrentDomain.AssemblyResolve += Resolve;
        }

        public IReadOnlyCollection<string> Unresolved
        {
            get
            {
                lock (unresolved)
                {
                    return unresolved.ToList();
                }
            }
        }

        // Any thread of the libraries may call this.
        private Assembly Resolve(object sender, ResolveEventArgs question)
        {
            var name = new AssemblyName(question.Name).Name;
            if (name.EndsWith(".resources", StringComparison.OrdinalIgnoreCase))
            {
                // translations are optional, and are requested for each language
                return null;
            }

            // any version will do: the libraries of an install are built for each other
            var loaded = AppDomain.CurrentDomain.GetAssemblies()
                .FirstOrDefault(assembly => string.Equals(assembly.GetName().Name, name, StringComparison.OrdinalIgnoreCase));
            if (loaded != null)
            {
                return loaded;
            }

            var path = install.PathOf(name);
            if (path == null)
            {
                lock (unresolved)
                {
                    unresolved.Add(name);
                }

                return null;
            }

            return Assembly.LoadFrom(path);
        }
    }
}
