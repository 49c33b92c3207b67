// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.Ping;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.springframework.util.FileSystemUtils;

/**
 * ActiveMQ in this process, reached through TCP, with a connection per sender and receiver and prepared bytes. Each message is on
 * disk before {@code send} returns.
 */
final class ActiveMqBus implements Bus {

    private static final long DISK_BYTES = 1L << 30;

    private final byte[] body =
            Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES).json();
    private final Path folder = Files.createTempDirectory("safebunny-activemq");
    private final BrokerService broker = new BrokerService();
    private final ActiveMQConnectionFactory clients;
    private final List<Connection> connections = new ArrayList<>();

    ActiveMqBus(Runnable received) throws Exception {
        clients = new ActiveMQConnectionFactory(start());
        for (int receiver = 0; receiver < Stress.RECEIVERS; receiver++) {
            Session session = session();
            session.createConsumer(queue(session, receiver)).setMessageListener(message -> {
                read(message);
                received.run();
            });
        }
    }

    /** @return the URL it listens on */
    private String start() throws Exception {
        KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
        store.setDirectory(folder.toFile());
        store.setJournalDiskSyncStrategy("always");
        broker.setPersistenceAdapter(store);
        broker.setDataDirectoryFile(folder.toFile());
        broker.setUseJmx(false);
        broker.setUseShutdownHook(false);
        broker.getSystemUsage().getStoreUsage().setLimit(DISK_BYTES);
        broker.getSystemUsage().getTempUsage().setLimit(DISK_BYTES);
        var connector = broker.addConnector("tcp://127.0.0.1:0");
        broker.start();
        broker.waitUntilStarted();
        return connector.getConnectUri().toString();
    }

    private Session session() throws JMSException {
        Connection connection = clients.createConnection();
        connections.add(connection);
        connection.start();
        return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    private static Queue queue(Session session, int receiver) throws JMSException {
        return session.createQueue("receiver-" + receiver);
    }

    private static void read(Message message) {
        try {
            byte[] unused = message.getBody(byte[].class);
        } catch (JMSException e) {
            throw new IllegalStateException("Cannot read a message", e);
        }
    }

    @Override
    public Sender sender() throws JMSException {
        Session session = session();
        List<MessageProducer> producers = new ArrayList<>();
        for (int receiver = 0; receiver < Stress.RECEIVERS; receiver++) {
            producers.add(session.createProducer(queue(session, receiver)));
        }
        return receiver -> {
            BytesMessage message = session.createBytesMessage();
            message.setJMSCorrelationID(UUID.randomUUID().toString());
            message.writeBytes(body);
            producers.get(receiver).send(message);
        };
    }

    @Override
    public void close() throws Exception {
        for (Connection connection : connections) {
            connection.close();
        }
        broker.stop();
        broker.waitUntilStopped();
        FileSystemUtils.deleteRecursively(folder);
    }
}
