namespace Dotspot.Dtp
{
    internal sealed class ThreadRoot
    {
        public ThreadRoot(object node, int number, string name, NodeValues values)
        {
            Node = node;
            Number = number;
            Name = name;
            Values = values;
        }

        public object Node { get; }

        // Threads are numbered from 1.
        public int Number { get; }

        public string Id => "t" + Invariant.Text(Number);

        public string Name { get; }

        public NodeValues Values { get; }
    }
}
