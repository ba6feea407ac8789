import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.rest.RESTServer;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/** HBase on local files with ZooKeeper and the REST gateway: HBase DIRECTORY PORT. */
public class HBase {
    public static void main(String[] args) throws Exception {
        String dir = new File(args[0]).getAbsolutePath();
        Configuration c = HBaseConfiguration.create();
        c.set("hbase.rootdir", "file://" + dir + "/root");
        c.set("hbase.tmp.dir", dir + "/tmp");
        c.set("hbase.unsafe.stream.capability.enforce", "false");
        c.set("hbase.wal.provider", "filesystem");
        for (String port : new String[] {"hbase.master.port", "hbase.regionserver.port"}) c.set(port, "0");
        for (String port : new String[] {"hbase.master.info.port", "hbase.regionserver.info.port", "hbase.rest.info.port"}) c.set(port, "-1");
        for (String address : new String[] {"hbase.master.ipc.address", "hbase.regionserver.ipc.address", "hbase.rest.host"}) c.set(address, "127.0.0.1");
        for (String name : new String[] {"hbase.unsafe.master.hostname", "hbase.unsafe.regionserver.hostname", "hbase.zookeeper.quorum"}) c.set(name, "localhost");
        c.set("hbase.rest.port", args[1]);
        c.set("hbase.defaults.for.version.skip", "true");
        c.set("hbase.master.wait.on.regionservers.mintostart", "1");
        c.set("hbase.master.wait.on.regionservers.interval", "100");
        c.set("hbase.server.thread.wakefrequency", "500");
        c.set("hbase.regionserver.msginterval", "300");
        c.set("hbase.regionserver.handler.count", "6");
        c.set("hfile.block.cache.size", "0.2");
        MiniZooKeeperCluster zookeeper = new MiniZooKeeperCluster(c);
        c.setInt("hbase.zookeeper.property.clientPort", zookeeper.startup(new File(dir, "zookeeper")));
        LocalHBaseCluster cluster = new LocalHBaseCluster(c, 1, 1, HMaster.class, HRegionServer.class);
        cluster.startup();
        while (cluster.getActiveMaster() == null || !cluster.getActiveMaster().isInitialized()) Thread.sleep(50);
        new RESTServer(c).run();
        cluster.join();
    }
}
