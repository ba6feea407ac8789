import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * Parses the statements of files by an independent grammar: plsql or tsql. A statement
 * ends with a semicolon at the end of a line; lines that begin with -- are comments. Of
 * a file named wrong.sql each statement must be refused, unless the comment before it is
 * "-- the grammar accepts this".
 */
public class Parse {
    public static void main(String[] args) throws Exception {
        boolean plsql = args[0].equals("plsql");
        String classes = plsql ? "plsql.PlSql" : "tsql.TSql";
        int failed = 0, accepted = 0, refused = 0;
        for (String file : List.of(args).subList(1, args.length)) {
            boolean wrong = file.endsWith("wrong.sql");
            for (String[] statement : statements(Path.of(file))) {
                String error = parse(classes, plsql ? "select_statement" : "select_statement_standalone", statement[1]);
                boolean right = !wrong || statement[0].equals("-- the grammar accepts this");
                if (error == null) accepted++; else refused++;
                if (right == (error == null)) continue;
                failed++;
                System.out.println(file + ": " + (error == null ? "accepted" : error) + ":\n" + statement[1] + "\n");
            }
        }
        System.out.println(args[0] + ": " + accepted + " statements accepted, " + refused + " refused, " + failed + " of them not as they should be");
        System.exit(failed > 0 || accepted == 0 ? 1 : 0);
    }

    /** Returns each statement with the comment before it. */
    private static List<String[]> statements(Path file) throws Exception {
        List<String[]> all = new ArrayList<>();
        String comment = "";
        StringBuilder sql = new StringBuilder();
        for (String line : Files.readAllLines(file)) {
            if (sql.length() == 0 && (line.isEmpty() || line.startsWith("--"))) {
                comment = line;
                continue;
            }
            sql.append(line).append('\n');
            if (line.endsWith(";")) {
                all.add(new String[] {comment, sql.substring(0, sql.length() - 2)});
                sql.setLength(0);
                comment = "";
            }
        }
        return all;
    }

    /** Returns what is wrong with a statement, or null. */
    private static String parse(String classes, String rule, String sql) throws Exception {
        String[] error = new String[1];
        BaseErrorListener listener = new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> recognizer, Object symbol, int line, int column, String message, RecognitionException e) {
                if (error[0] == null) error[0] = line + ":" + column + ": " + message;
            }
        };
        Lexer lexer = (Lexer) Class.forName(classes + "Lexer").getConstructor(CharStream.class).newInstance(CharStreams.fromString(sql));
        Parser parser = (Parser) Class.forName(classes + "Parser").getConstructor(TokenStream.class).newInstance(new CommonTokenStream(lexer));
        for (Recognizer<?, ?> r : List.of(lexer, parser)) {
            r.removeErrorListeners();
            r.addErrorListener(listener);
        }
        parser.getClass().getMethod(rule).invoke(parser);
        Token next = parser.getCurrentToken();
        if (error[0] == null && next.getType() != Token.EOF) error[0] = "the statement ends before " + next.getText();
        return error[0];
    }
}
