namespace Dotspot.Dtp
{
    /// <summary>A thread of the tree.</summary>
    internal sealed class ThreadRoot
    {
        /// <summary>A thread whose own members have been read.</summary>
        /// <param name="node">The node of the libraries.</param>
        /// <param name="number">Its place among the threads, from 1.</param>
        /// <param name="name">What it is called, never empty.</param>
        /// <param name="values">Its values.</param>
        public ThreadRoot(object node, int number, string name, NodeValues values)
        {
            Node = node;
            Number = number;
            Name = name;
            Values = values;
        }

        /// <summary>The node of the libraries.</summary>
        public object Node { get; }

        /// <summary>Its place among the threads, from 1.</summary>
        public int Number { get; }

        /// <summary>The id of its node in the JSON.</summary>
        public string Id => "t" + Invariant.Text(Number);

        /// <summary>What it is called, never empty.</summary>
        public string Name { get; }

        /// <summary>Its values.</summary>
        public NodeValues Values { get; }
    }
}
