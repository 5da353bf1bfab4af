// Two threads, busy all the time, in known proportions: of every ten units of work six go to Hot.Sixty, three to Hot.Thirty, one to
// Hot.Ten (three methods with the same body). The order of the ten is shuffled and the unit varies in length, so that nothing keeps
// step with the sampler. Thread "direct" calls Hot.* from its loop, thread "nested" through two more methods.
//
// Prints "ready", then at its end a line of truth per thread and method: thread, method, milliseconds, and thousands of turns of its
// loop, which take the same time each wherever the thread has a processor.
// usage: Workload SECONDS [EXIT_CODE] [REST]: after every ten units each thread sleeps for REST milliseconds
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Demo {
  public static class Program {
    public static int Main(string[] args) {
      double seconds = args.Length > 0 ? double.Parse(args[0], System.Globalization.CultureInfo.InvariantCulture) : 5;
      int rest = args.Length > 2 ? int.Parse(args[2]) : 0;
      var direct = new Driver("direct", 1, seconds, rest);
      var nested = new Driver("nested", 1001, seconds, rest);
      var threads = new[] { new Thread(direct.RunDirect), new Thread(nested.RunNested) };
      Console.WriteLine("ready");
      foreach (var thread in threads) thread.Start();
      foreach (var thread in threads) thread.Join();
      direct.Print();
      nested.Print();
      return args.Length > 1 ? int.Parse(args[1]) : 0;
    }
  }

  public sealed class Driver {
    static readonly string[] Names = { "Sixty", "Thirty", "Ten" };
    readonly string name;
    readonly Random random;
    readonly double seconds;
    readonly int rest;
    readonly long[] ticks = new long[3];
    readonly long[] turns = new long[3];
    readonly int[] deck = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 2 };
    ulong sink;

    public Driver(string name, int seed, double seconds, int rest) {
      this.name = name;
      random = new Random(seed);
      this.seconds = seconds;
      this.rest = rest;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RunDirect() { Run(false); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RunNested() { Run(true); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    void Run(bool isNested) {
      var watch = Stopwatch.StartNew();
      while (watch.Elapsed.TotalSeconds < seconds) {
        Shuffle();
        int unit = random.Next(400000, 1200000);
        foreach (int which in deck) {
          long start = Stopwatch.GetTimestamp();
          sink += isNested ? Pipeline.Outer(which, unit) : Hot.Pick(which, unit);
          ticks[which] += Stopwatch.GetTimestamp() - start;
          turns[which] += unit;
        }
        if (rest > 0) Thread.Sleep(rest);
      }
    }

    void Shuffle() {
      for (int i = deck.Length - 1; i > 0; i--) {
        int other = random.Next(i + 1), kept = deck[i];
        deck[i] = deck[other];
        deck[other] = kept;
      }
    }

    public void Print() {
      for (int which = 0; which < 3; which++)
        Console.WriteLine("truth " + name + " " + Names[which] + " " + ticks[which] * 1000 / Stopwatch.Frequency + " " + turns[which] / 1000);
      GC.KeepAlive(sink);
    }
  }

  public static class Pipeline {
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Outer(int which, int n) { return Inner(which, n) + 1; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static ulong Inner(int which, int n) { return Hot.Pick(which, n) + 1; }
  }

  public static class Hot {
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Pick(int which, int n) { return 1 + (which == 0 ? Sixty(n) : which == 1 ? Thirty(n) : Ten(n)); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Sixty(int n) { ulong x = 88172645463325252; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } return x; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Thirty(int n) { ulong x = 88172645463325252; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } return x; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Ten(int n) { ulong x = 88172645463325252; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } return x; }
  }
}
