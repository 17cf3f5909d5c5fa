@testable import StationClient

/// Members of events as a station sends them, with what a person is shown after the time.
enum RenderedEvents {
    typealias Sample = (members: String, text: String)

    static let door = #""reader":{"id":"a","name":"door","kind":"pcsc"},"scan":"s""#
    static let identifier =
        #""identifier":{"type":"n","identifier":"4kyQCd5tMD","path":"4.2.3","url":"u"}"#

    /// Of scans, after the type.
    static let scans: [Sample] = [
        (
            #"""
            \#(identifier),"medium":"nfc","tag":{"technology":"iso14443a","kind":"NTAG213",\#
            "uid":"04a1"}
            """#,
            "4kyQCd · path 4.2.3 · NTAG213 04a1"
        ),
        (
            #"\#(identifier),"medium":"qr","tag":{"technology":"barcode","kind":"QR"}"#,
            "4kyQCd · path 4.2.3 · QR"
        ),
        (#"\#(identifier),"medium":"manual""#, "4kyQCd · path 4.2.3 · by hand"),
        (
            #"""
            "unrecognised":"foreign","content":"https://example.org/","medium":"qr",\#
            "tag":{"technology":"barcode"}
            """#,
            "unrecognised: foreign (https://example.org/) · barcode"
        ),
        (
            #"""
            "unrecognised":"uidOnly","medium":"nfc","tag":{"technology":"iso14443a",\#
            "uid":"08ab","uidRandom":true}
            """#,
            "unrecognised: uidOnly (a UID and nothing else) · iso14443a 08ab (random)"
        ),
        (#""unrecognised":"brandNew","medium":"uhf""#, "unrecognised: brandNew · uhf"),
        (#""unrecognised":7,"medium":8,"tag":[],"identifier":"x""#, "unrecognised: 7"),
        ("\"medium\":\"nfc\"", "nfc"),
    ]

    /// Of resolutions, after the short code.
    static let resolutions: [Sample] = [
        (
            #"""
            "outcome":"KNOWN_OBJECT","source":"cache","ageSeconds":185.2,"object":{"id":"o",\#
            "name":"Blue box","canEdit":true,"class":{"name":"Box"},\#
            "location":{"object":"p","name":"Shelf 3","relationship":"NEXT_TO"}}
            """#,
            "known object · Blue box · class Box · next to Shelf 3 · from the cache, 3 min old"
        ),
        (
            #"""
            "outcome":"KNOWN_OBJECT","source":"api","changed":true,"late":true,\#
            "object":{"id":"o","canEdit":false,"owner":{"id":"w","name":"Luleå"},\#
            "statuses":["FOR_SALE","new"],"pending":true}
            """#,
            "known object · unnamed (o) · read-only, owned by Luleå · for sale, new · "
                + "changes not delivered yet · late · changed"
        ),
        (
            #"""
            "outcome":"KNOWN_OBJECT","source":"api","changed":false,"object":{"name":"Box",\#
            "canEdit":false}
            """#,
            "known object · Box · read-only · as the cache said"
        ),
        (
            #""outcome":"UNKNOWN_SPECIFIC","source":"api","class":{"classPointer":"4K7m"}"#,
            "no object yet, its class is known · class 4K7m"
        ),
        (#""outcome":"UNKNOWN_GENERAL","source":"api""#, "no object yet"),
        (
            #""outcome":"UNKNOWN_GENERAL","source":"cache","stale":true,"ageSeconds":90000"#,
            "no object yet · from the cache, 1 d old · stale"
        ),
        (
            #"""
            "outcome":"DUPLICATE","source":"api","candidates":[{"name":"A"},{"name":"B"},\#
            {"id":"c"},{"name":"D"},{"name":"E"}]
            """#,
            "several objects · A, B, unnamed (c) and 2 more"
        ),
        (
            #"""
            "outcome":"ERROR","source":"api","error":{"code":"INVALID",\#
            "message":"no such tag"}
            """#,
            "refused · no such tag (INVALID)"
        ),
        (
            #""outcome":"OFFLINE","source":"station","reason":"network""#,
            "no answer yet · no network"
        ),
        (
            #""outcome":"OFFLINE","source":"station","reason":"unauthorised""#,
            "no answer yet · the station has no token that the API takes"
        ),
        (
            #""outcome":"OFFLINE","source":"station","reason":"notConfigured""#,
            "no answer yet · no API is configured"
        ),
        (
            #""outcome":"OFFLINE","source":"station","reason":"waiting""#,
            "no answer yet · the API has not answered"
        ),
        (#""outcome":"SOMETHING_NEW","reason":"later""#, "SOMETHING_NEW · later"),
        (#""outcome":{},"object":3,"candidates":{}"#, "an answer without an outcome · unnamed"),
    ]

    /// Of departures, readers, the API, the location and jobs.
    static let states: [Sample] = [
        (
            #""type":"departure",\#(door),"heldMilliseconds":1249"#,
            "door     departure   held 1.2 s"
        ),
        (
            #""type":"departure",\#(door),"heldMilliseconds":5,"lost":true"#,
            "door     departure   held 5 ms · it went while nobody looked"
        ),
        (#""type":"reader",\#(door),"state":"ready""#, "door     reader      ready"),
        (
            #""type":"reader",\#(door),"state":"degraded","reason":"no pcscd""#,
            "door     reader      degraded · no pcscd"
        ),
        (
            #""type":"reader",\#(door),"state":"ready","suppressed":12"#,
            "door     reader      ready · 12 arrivals of a flapping tag left out"
        ),
        (#""type":"reader",\#(door),"state":"asleep""#, "door     reader      asleep"),
        (
            #""type":"reader","reader":{"id":"usb-1"},"state":"connected""#,
            "usb-1    reader      connected"
        ),
        (
            #""type":"api","state":"unauthorised","reason":"the token is refused""#,
            "station  api         unauthorised · the token is refused"
        ),
        (#""type":"api","state":"notConfigured""#, "station  api         not configured"),
        (#""type":"api""#, "station  api         unknown"),
        (
            #"""
            "type":"location","state":"fix","location":{"latitude":65.5841,\#
            "longitude":-22.1547,"accuracy":7.2,"source":"gpsd"}
            """#,
            "station  location    fix · 65.58410, -22.15470 ± 8 m (gpsd)"
        ),
        (
            #"""
            "type":"location","state":"fixed","location":{"latitude":1,"longitude":2,\#
            "source":"fixed"}
            """#,
            "station  location    fixed · 1.00000, 2.00000"
        ),
        (#""type":"location","state":"none""#, "station  location    none"),
        (
            #"""
            "type":"job","job":{"id":"j1","kind":"scan","state":"attention","attempts":3,\#
            "by":{"reader":"door"},"error":"forbidden","scan":"s"}
            """#,
            "station  job         delivery of scan j1 · needs attention after 3 attempts "
                + "· forbidden · by reader door"
        ),
        (
            #"""
            "type":"job","job":{"id":"j2","kind":"moveObject","state":"discarded",\#
            "attempts":1,"by":{"uid":1000,"user":"anna"}}
            """#,
            "station  job         moveObject j2 · discarded after 1 attempt · by anna"
        ),
    ]

    /// Of types that this program does not know.
    static let newer: [Sample] = [
        (
            #""type":"clock","state":"trusted","seq":4,"offsetMilliseconds":-12,"x":{"y":1}"#,
            "station  clock       offsetMilliseconds -12 · state trusted"
        ),
        (#""type":"brandNew",\#(door)"#, "door     brandNew    scan s"),
        (#""type":7"#, "station  7           "),
        (#""x":true"#, "station  event       x yes"),
    ]
}
