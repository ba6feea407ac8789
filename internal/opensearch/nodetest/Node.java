import java.nio.file.*;
import java.util.*;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.plugins.Plugin;

/** One node with a home directory and a port, until it is killed. */
public class Node {
  @SuppressWarnings("unchecked")
  public static void main(String[] args) throws Exception {
    Path home = Paths.get(args[0]);
    Path config = Files.createDirectories(home.resolve("config"));
    Settings settings = Settings.builder().put("path.home", home.toString()).put("cluster.name", "indexerd-test").put("node.name", "one")
        .put("discovery.type", "single-node").put("network.host", "127.0.0.1").put("http.port", args[1]).put("transport.port", args[2])
        .put("cluster.routing.allocation.disk.threshold_enabled", false).build();
    List<Class<? extends Plugin>> plugins = new ArrayList<>();
    for (String module : new String[] {"transport.Netty4", "analysis.common.CommonAnalysis"})
      for (String end : new String[] {"ModulePlugin", "Plugin"}) // the name depends on the release
        try {
          plugins.add((Class<? extends Plugin>) Class.forName("org.opensearch." + module + end));
        } catch (ClassNotFoundException e) {
          // the other one
        }
    new OpenSearchRunnerNode(new Environment(settings, config), plugins).start();
    Thread.currentThread().join();
  }
}
