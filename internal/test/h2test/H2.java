import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.h2.value.Value;

/**
 * Serves H2 databases on a loopback port, which it prints. A socket is one JDBC
 * connection, whose URL is its first message. The driver in Go has the protocol. It
 * also has the functions of Oracle and SQL Server that H2 lacks: stand-ins, whose
 * results are not those of the vendors.
 */
public class H2 {
    public static void main(String[] args) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(server.getLocalPort());
        new Thread(H2::endWithParent).start();
        while (true) {
            Socket socket = server.accept();
            new Thread(() -> serve(socket)).start();
        }
    }

    /** Ends the process when its standard input does, as it does when the tests are killed. */
    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            // ended
        }
        Runtime.getRuntime().halt(0);
    }

    private static void serve(Socket socket) {
        try (socket; DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
                Connection db = DriverManager.getConnection(text(in))) {
            while (true) {
                try {
                    run(db, in, out);
                } catch (SQLException e) {
                    out.writeByte('E');
                    out.writeInt(e.getErrorCode());
                    write(out, String.valueOf(e.getMessage()));
                }
                out.flush();
            }
        } catch (EOFException e) {
            // the client has closed the connection
        } catch (IOException | SQLException e) {
            System.err.println(e);
        }
    }

    /** Runs one statement: SQL, then parameters as a type and its text or bytes. */
    private static void run(Connection db, DataInputStream in, DataOutputStream out) throws IOException, SQLException {
        String sql = text(in);
        Object[] args = new Object[in.readInt()];
        for (int i = 0; i < args.length; i++) {
            int type = in.readByte();
            byte[] value = bytes(in);
            switch (type) {
                case 'i': args[i] = Long.parseLong(new String(value, StandardCharsets.UTF_8)); break;
                case 'f': args[i] = Double.parseDouble(new String(value, StandardCharsets.UTF_8)); break;
                case 's': args[i] = new String(value, StandardCharsets.UTF_8); break;
                case 't': args[i] = OffsetDateTime.parse(new String(value, StandardCharsets.UTF_8)); break;
                case 'b': args[i] = value; break;
                default: args[i] = null;
            }
        }
        try (PreparedStatement s = db.prepareStatement(sql)) {
            for (int i = 0; i < args.length; i++) s.setObject(i + 1, args[i]);
            if (!s.execute()) {
                out.writeByte('U');
                return;
            }
            try (ResultSet rows = s.getResultSet()) {
                send(rows, out);
            }
        }
    }

    private static void send(ResultSet rows, DataOutputStream out) throws IOException, SQLException {
        ResultSetMetaData columns = rows.getMetaData();
        int n = columns.getColumnCount();
        out.writeByte('R');
        out.writeInt(n);
        for (int i = 1; i <= n; i++) {
            write(out, columns.getColumnLabel(i));
            write(out, columns.getColumnTypeName(i));
            out.writeInt(columns.getPrecision(i));
            out.writeInt(columns.getScale(i));
        }
        while (rows.next()) {
            ByteArrayOutputStream row = new ByteArrayOutputStream();
            for (int i = 1; i <= n; i++) sendValue(rows, i, columns.getColumnType(i), new DataOutputStream(row));
            out.writeByte('V');
            row.writeTo(out);
        }
        out.writeByte('.');
    }

    private static void sendValue(ResultSet rows, int i, int type, DataOutputStream out) throws IOException, SQLException {
        byte[] value;
        switch (type) {
            case Types.BINARY: case Types.VARBINARY: case Types.BLOB: value = rows.getBytes(i); break;
            case Types.NUMERIC: case Types.DECIMAL: BigDecimal d = rows.getBigDecimal(i); value = d == null ? null : utf8(d.toPlainString()); break;
            case Types.TIMESTAMP: LocalDateTime t = rows.getObject(i, LocalDateTime.class); value = t == null ? null : utf8(t.toString()); break;
            case Types.TIMESTAMP_WITH_TIMEZONE: OffsetDateTime o = rows.getObject(i, OffsetDateTime.class); value = o == null ? null : utf8(o.toString()); break;
            default: String s = checked(rows.getString(i)); value = s == null ? null : utf8(s);
        }
        if (value == null) {
            out.writeInt(-1);
            return;
        }
        out.writeInt(value.length);
        out.write(value);
    }

    /**
     * A text that fails when a statement names its column. H2 computes all columns of a
     * derived table, also those that a statement does not name, so an expression that
     * fails would fail in each.
     */
    private static String checked(String s) throws SQLException {
        if (FAILS.equals(s)) throw new SQLException("Division by zero", "22012", 22012);
        return s;
    }

    private static final String FAILS = "divided by zero";

    private static byte[] utf8(String s) { return s.getBytes(StandardCharsets.UTF_8); }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int n = in.readInt();
        return n < 0 ? null : in.readNBytes(n);
    }

    private static String text(DataInputStream in) throws IOException { return new String(bytes(in), StandardCharsets.UTF_8); }

    private static void write(DataOutputStream out, String s) throws IOException {
        byte[] b = utf8(s);
        out.writeInt(b.length);
        out.write(b);
    }

    /** Oracle's STANDARD_HASH, and SQL Server's HASHBYTES with its parameters swapped. NULL has a hash. */
    public static byte[] hash(Value v, String algorithm) throws Exception {
        checked(v.getString());
        MessageDigest d = MessageDigest.getInstance(algorithm.replace("SHA2_", "SHA-"));
        return v.getString() == null ? d.digest() : d.digest(v.getValueType() == Value.VARBINARY || v.getValueType() == Value.BLOB ? v.getBytes() : utf8(v.getString()));
    }

    /** SQL Server's dm_exec_describe_first_result_set, with its types. */
    public static ResultSet describe(Connection db, String sql) throws SQLException {
        org.h2.tools.SimpleResultSet all = new org.h2.tools.SimpleResultSet();
        all.addColumn("ERROR_NUMBER", Types.INTEGER, 10, 0);
        for (String name : new String[] {"ERROR_MESSAGE", "NAME", "TYPE", "COLLATION", "SOURCE_DATABASE", "SOURCE_SCHEMA", "SOURCE_TABLE", "SOURCE_COLUMN"}) all.addColumn(name, Types.VARCHAR, 1000, 0);
        if (db.getMetaData().getURL().startsWith("jdbc:columnlist:")) return all;
        try (PreparedStatement s = db.prepareStatement(sql)) {
            ResultSetMetaData columns = s.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                all.addRow(null, null, columns.getColumnLabel(i), sqlServerType(columns.getColumnTypeName(i), columns.getPrecision(i), columns.getScale(i)), null, null, null, null, null);
            }
        }
        return all;
    }

    private static String sqlServerType(String type, int precision, int scale) {
        String length = "(" + precision + ")", digits = "(" + scale + ")";
        switch (type) {
            case "INTEGER": return "int";
            case "BOOLEAN": return "bit";
            case "NUMERIC": case "DECIMAL": return "decimal(" + precision + "," + scale + ")";
            case "DOUBLE PRECISION": return "float";
            case "CHARACTER": return "nchar" + length;
            case "CHARACTER VARYING": case "VARCHAR_IGNORECASE": return "nvarchar" + length;
            case "CHARACTER LARGE OBJECT": return "nvarchar(max)";
            case "BINARY": return "binary" + length;
            case "BINARY VARYING": return "varbinary" + length;
            case "BINARY LARGE OBJECT": return "varbinary(max)";
            case "UUID": return "uniqueidentifier";
            case "TIME": return "time" + digits;
            case "TIMESTAMP": return "datetime2" + digits;
            case "TIMESTAMP WITH TIME ZONE": return "datetimeoffset" + digits;
            default: return type.toLowerCase();
        }
    }

    /** A digest of all values in 64 bits, in place of SQL Server's sum of bytes. */
    public static Long token(Value... all) throws Exception {
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        for (Value v : all) {
            byte[] b = v.getString() == null ? null : utf8(v.getString());
            d.update(utf8(b == null ? "N" : b.length + ":"));
            if (b != null) d.update(b);
        }
        return java.nio.ByteBuffer.wrap(d.digest()).getLong();
    }

    /** A text's UTF-16 with a byte at its end. */
    public static byte[] tie(String s) {
        if (s == null) return null;
        byte[] b = s.getBytes(StandardCharsets.UTF_16LE);
        b = java.util.Arrays.copyOf(b, b.length + 1);
        b[b.length - 1] = 1;
        return b;
    }

    public static byte[] hashBytes(String algorithm, Value v) throws Exception { return v.getString() == null ? null : hash(v, algorithm); }

    /** Oracle's TO_NUMBER of hexadecimal digits. */
    public static BigDecimal hexNumber(String digits, String format) { return digits == null ? null : new BigDecimal(new BigInteger(digits, 16)); }

    public static LocalDateTime utc(OffsetDateTime t) { return t == null ? null : t.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime(); }

    public static Long length(Value v) throws SQLException {
        if (v.getString() == null) return null;
        return (long) (v.getValueType() == Value.VARBINARY || v.getValueType() == Value.BLOB ? v.getBytes().length : v.getString().length());
    }

    /** Oracle's DBMS_LOB.SUBSTR, whose offset is from 1. */
    public static String part(Value v, int amount, int offset) {
        String s = v.getString();
        return s == null || offset > s.length() ? null : s.substring(offset - 1, Math.min(s.length(), offset - 1 + amount));
    }
}
