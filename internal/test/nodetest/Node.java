import java.nio.file.*;
import java.util.*;
import org.codelibs.opensearch.runner.node.OpenSearchRunnerNode;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.plugins.Plugin;

/** One node in the current directory, with settings, key=value or key=[value,value], until it is killed. */
public class Node {
  @SuppressWarnings("unchecked")
  public static void main(String[] args) throws Exception {
    Path home = Paths.get("").toAbsolutePath();
    Path config = Files.createDirectories(home.resolve("config"));
    Settings.Builder settings = Settings.builder().put("path.home", home.toString()).put("cluster.name", "indexerd-test")
        .put("network.host", "127.0.0.1").put("cluster.routing.allocation.disk.threshold_enabled", false);
    for (String setting : args) {
      int equals = setting.indexOf('=');
      String key = setting.substring(0, equals), value = setting.substring(equals + 1);
      if (value.startsWith("[")) settings.putList(key, value.substring(1, value.length() - 1).split(","));
      else settings.put(key, value);
    }
    List<Class<? extends Plugin>> plugins = new ArrayList<>();
    for (String module : new String[] {"transport.Netty4", "analysis.common.CommonAnalysis", "index.reindex.Reindex"})
      for (String end : new String[] {"ModulePlugin", "Plugin"}) // the name depends on the release
        try {
          plugins.add((Class<? extends Plugin>) Class.forName("org.opensearch." + module + end));
        } catch (ClassNotFoundException e) {
          // the other one
        }
    new OpenSearchRunnerNode(new Environment(settings.build(), config), plugins).start();
    Thread.currentThread().join();
  }
}
