// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

/** What the nodes of the guide send each other. */
final class Messages {

    private Messages() {}

    record PlaceOrder(String order, long cents) {}

    record ReserveStock(String order) {}

    record StockReserved(String order) {}

    record ReleaseStock(String order) {}

    record Capture(String order, long cents) {}

    record Captured(String order) {}

    record Declined(String order) {}

    record Refund(String order) {}

    record ParcelReturned(String order, Parcel parcel) {}

    record Parcel(String id) {}
}
