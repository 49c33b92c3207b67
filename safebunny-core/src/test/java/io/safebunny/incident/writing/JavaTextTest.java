// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident.writing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a sender, an operator or an exception has written comes through the compiler as it was, and does nothing else. */
class JavaTextTest {

    private static final String INDENT = "            ";

    private static final List<String> HOSTILE = List.of(
            "",
            " ",
            "\n",
            "\n\n",
            " \n ",
            "\t",
            "\r\n",
            "a\rb",
            "\"",
            "\"\"\"",
            "\"\"\"\"",
            "\"\"\" + System.exit(1) + \"\"\"",
            "ends with a quote\"",
            "ends with a backslash\\",
            "\\\"\"\"",
            "\\u0022\\u0022\\u0022 + evil() + \\u0022",
            "\\\\u0022",
            "\\u000a evil();",
            "\\uuuu0022",
            "\\u",
            "\\é\\u00e9",
            "*/ static { evil(); } /*",
            "// \n evil();",
            "\\u002a\\u002f static { evil(); } ",
            "${evil} #{evil} %s %n %",
            "  indented\n    more\n  less",
            "trailing blanks   \n  \nand a tab\t\n",
            "\u0000\u0001\u001b[31m\u007f\u0085\u00a0",
            "ends with an odd blank\u2028",
            "\u2003 begins with one",
            "half a character \ud83d\\u0022",
            "\u202e\u2066\u2028\u2029\ufeff\u200b",
            "\ud83d\ude00 \ud83d \ude00",
            "{\"a\": \"\\\"\\u0041\\n\"}",
            "\b\f\0\07\013");

    /** A source in memory. */
    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    /** Compiles a class with the fields {@code S0} and so on, and reads them. */
    private static List<String> compiled(Path folder, String comments, List<String> expressions) throws IOException {
        StringBuilder text = new StringBuilder(comments + "\nclass Texts {\n");
        for (int i = 0; i < expressions.size(); i++) {
            text.append("    static final String S")
                    .append(i)
                    .append(" = ")
                    .append(expressions.get(i))
                    .append(";\n");
        }
        text.append("}\n");
        assertThat(text.chars().filter(c -> c != '\n' && (c < ' ' || c > '~'))).isEmpty();
        StringWriter problems = new StringWriter();
        boolean isCompiled = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        problems,
                        null,
                        null,
                        List.of("-d", folder.toString(), "-proc:none", "-encoding", "US-ASCII"),
                        null,
                        List.of(source("Texts", text.toString())))
                .call();
        assertThat(isCompiled).as("%s%n%s", problems, text).isTrue();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, null)) {
            Class<?> made = loader.loadClass("Texts");
            assertThat(made.getDeclaredMethods()).isEmpty();
            List<String> read = new ArrayList<>();
            for (int i = 0; i < expressions.size(); i++) {
                Field field = made.getDeclaredField("S" + i);
                field.setAccessible(true);
                read.add((String) field.get(null));
            }
            assertThat(made.getDeclaredFields()).hasSize(expressions.size());
            return read;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Texts", e);
        }
    }

    private static List<String> texts() {
        Random random = new Random(7);
        String alphabet = "\"\"\"\\\\ \t\n\nu0022ua/*é\r\u2028\ud83d{}\0";
        Stream<String> made = Stream.generate(() -> random.ints(random.nextInt(14), 0, alphabet.length())
                .mapToObj(i -> String.valueOf(alphabet.charAt(i)))
                .collect(Collectors.joining()));
        return Stream.concat(HOSTILE.stream(), made.limit(3_000)).toList();
    }

    @Test
    void textsComeThroughLiteralsAsTheyWere(@TempDir Path folder) throws IOException {
        List<String> texts = texts();

        assertThat(compiled(folder, "", texts.stream().map(JavaText::literal).toList()))
                .isEqualTo(texts);
    }

    @Test
    void textsComeThroughTextBlocksAsTheyWere(@TempDir Path folder) throws IOException {
        List<String> texts = texts();

        assertThat(compiled(
                        folder,
                        "",
                        texts.stream().map(text -> JavaText.block(text, INDENT)).toList()))
                .isEqualTo(texts);
    }

    /** The compiler takes no literal of more than 65,535 bytes, nor a sum of literals. */
    @Test
    void aLongTextIsJoined(@TempDir Path folder) throws IOException {
        String text = "{\"text\": \"\u20ac \\ \n\"\"\"".repeat(40_000);

        assertThat(compiled(folder, "", List.of(JavaText.block(text, INDENT)))).containsExactly(text);
    }

    @Test
    void noTextEndsAComment(@TempDir Path folder) throws IOException {
        String comments = String.join(
                "\n", texts().stream().map(text -> JavaText.comment(text, "")).toList());

        assertThat(comments.lines()).allSatisfy(line -> assertThat(line).startsWith("//"));
        assertThat(compiled(folder, comments, List.of())).isEmpty();
    }

    @Test
    void aCommentIsWrapped() {
        assertThat(JavaText.comment("word ".repeat(60), "    ").lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).startsWith("    // word").hasSizeLessThan(120));
        assertThat(JavaText.comment("M\u00fcller\u202e", "")).isEqualTo("// M\\\\u00fcller?");
    }

    @Test
    void aNameIsOneWhateverItIsMadeOf() {
        assertThat(List.of("OrderSaga", "order-saga", "42", "", "\u00fc", "_x", "class", "A$B", "Evil { } class X"))
                .map(JavaText::name)
                .containsExactly(
                        "OrderSaga",
                        "Ordersaga",
                        "Message42",
                        "Message",
                        "Message",
                        "Message_x",
                        "Class",
                        "AB",
                        "EvilclassX");
        assertThat(JavaText.name("x".repeat(200))).hasSize(80);
    }

    @Test
    void jsonIsLaidOutAndOtherTextLeftAlone() {
        assertThat(JsonLayout.lines("{\"a\":[1.50,{}],\"b\\\"{\":\"x,:[\" , \"c\": [ ]}"))
                .isEqualTo("{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\\\"{\": \"x,:[\",\n  \"c\": []\n}");
        assertThat(List.of("", "{\"a\":1", "{\"a\":1,\"a\":2}", "{\"a\":1} {}", "[1,2]]", "plain"))
                .allSatisfy(text -> assertThat(JsonLayout.lines(text)).isEqualTo(text));
    }

    /** Blanks before a small value can be many times its length. */
    @Test
    void jsonThatWouldBecomeTooLongIsLeftAlone() {
        String deep = "[".repeat(400) + "1,".repeat(4_000) + "1" + "]".repeat(400);
        String many = "[" + "1,".repeat(200_000) + "1]";

        assertThat(JsonLayout.lines(deep)).isEqualTo(deep);
        assertThat(JsonLayout.lines(many)).isEqualTo(many);
        assertThat(JsonLayout.lines("[" + "1,".repeat(2_000) + "1]").lines()).hasSize(2_003);
    }

    @Test
    void aNameBeyondAsciiIsEscaped() {
        assertThat(JavaText.code("com.example.M\u00fcller")).isEqualTo("com.example.M\\u00fcller");
    }
}
