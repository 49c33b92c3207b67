// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import io.safebunny.benchmarks.contest.Bin;
import io.safebunny.benchmarks.contest.Bins;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItemSource;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * Histograms over time as a picture: throughput, median and 99th percentile, one above the other. Without a background, and in colours
 * that are readable on white and on black.
 *
 * @param bins by contender
 */
record Plot(Map<String, List<Bin>> bins) {

    private static final int WIDTH = 800;
    private static final int HEIGHT = 560;
    private static final int FONT = 12;
    private static final float LINE = 1.2f;
    private static final double SECOND = 1_000;

    private static final Color NONE = new Color(0, 0, 0, 0);
    private static final Color TEXT = new Color(0x808080);
    private static final List<Color> OURS = List.of(new Color(0x2f81f7), new Color(0x2da44e));
    private static final List<Color> OTHERS = List.of(new Color(0x8250df), new Color(0xd9730d));

    /** More digits than a tenth of a pixel needs; not those of the text between tags. */
    private static final Pattern FRACTION = Pattern.compile("(\\d+\\.\\d)\\d+(?![\\d<])");

    /** That of this machine; and the library leaves out its own default size, which is not that of SVG. */
    private static final Pattern FAMILY = Pattern.compile("font-family:&quot;[^&]*&quot;");

    String svg() {
        TextUtils.setUseDrawRotatedStringWorkaround(false); // which would draw the axes' titles as shapes
        NumberAxis time = new NumberAxis("seconds since the beginning, in bins of %s ms".formatted(Bins.MILLIS));
        style(time);
        CombinedDomainXYPlot panels = new CombinedDomainXYPlot(time);
        panels.setBackgroundPaint(null);
        panels.add(panel("ended/s", bin -> bin.ended() * SECOND / Bins.MILLIS));
        panels.add(panel("median, ms", bin -> latency(bin, bin.median())));
        panels.add(panel("99th percentile, ms", bin -> latency(bin, bin.p99())));
        JFreeChart chart = new JFreeChart(null, null, panels, false);
        chart.setBackgroundPaint(null);
        chart.addLegend(legend(panels.getSubplots().get(0)));
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, HEIGHT));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            new SVGProcessor()
                    .getDocument(graphics.getCommands(), new PageSize(0, 0, WIDTH, HEIGHT))
                    .writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String exact = FAMILY.matcher(bytes.toString(StandardCharsets.UTF_8))
                .replaceAll("font-family:sans-serif;font-size:%spx".formatted(FONT));
        return FRACTION.matcher(exact).replaceAll("$1");
    }

    /** Where nothing ended, there is a gap. */
    private static double latency(Bin bin, double millis) {
        return bin.ended() == 0 ? Double.NaN : millis;
    }

    private XYPlot panel(String title, ToDoubleFunction<Bin> figure) {
        XYSeriesCollection all = new XYSeriesCollection();
        XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
        renderer.setDrawSeriesLineAsPath(true);
        renderer.setDefaultStroke(new BasicStroke(LINE));
        renderer.setAutoPopulateSeriesStroke(false);
        int ours = 0;
        int others = 0;
        for (Map.Entry<String, List<Bin>> contender : bins.entrySet()) {
            Color colour = contender.getKey().startsWith(Report.OURS)
                    ? OURS.get(ours++ % OURS.size())
                    : OTHERS.get(others++ % OTHERS.size());
            renderer.setSeriesPaint(all.getSeriesCount(), colour);
            all.addSeries(series(contender.getKey(), contender.getValue(), figure));
        }
        NumberAxis axis = new NumberAxis(title);
        style(axis);
        XYPlot panel = new XYPlot(all, null, axis, renderer);
        panel.setBackgroundPaint(null);
        panel.setOutlineVisible(false);
        panel.setDomainGridlinesVisible(false);
        panel.setRangeGridlinePaint(TEXT);
        return panel;
    }

    private static XYSeries series(String contender, List<Bin> bins, ToDoubleFunction<Bin> figure) {
        XYSeries series = new XYSeries(contender);
        for (int i = 0; i < bins.size(); i++) {
            series.add(i * Bins.MILLIS / SECOND, figure.applyAsDouble(bins.get(i)));
        }
        return series;
    }

    private static LegendTitle legend(LegendItemSource source) {
        LegendTitle legend = new LegendTitle(source);
        legend.setBackgroundPaint(NONE);
        legend.setFrame(BlockBorder.NONE);
        legend.setItemFont(font());
        legend.setItemPaint(TEXT);
        legend.setPosition(RectangleEdge.BOTTOM);
        return legend;
    }

    private static void style(ValueAxis axis) {
        axis.setLabelFont(font());
        axis.setLabelPaint(TEXT);
        axis.setTickLabelFont(font());
        axis.setTickLabelPaint(TEXT);
        axis.setTickMarkPaint(TEXT);
        axis.setAxisLinePaint(TEXT);
    }

    private static Font font() {
        return new Font(Font.SANS_SERIF, Font.PLAIN, FONT);
    }
}
