BEGIN TRANSACTION;
CREATE TABLE eremite_events (
            seq BIGINT PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            previous TEXT NOT NULL, hash TEXT NOT NULL);
INSERT INTO "eremite_events" VALUES(1,'2026-11-16T23:59:30.351021+00:00','dataset opened','{"cap":{"delta":"0","epsilon":"2"},"dataset":"patients","format":1,"rows_per_person":3}','0000000000000000000000000000000000000000000000000000000000000000','b33d86b89024cfd688042281dcf79473e1d5f4d829ff73d6b9d759a1194ac12f');
INSERT INTO "eremite_events" VALUES(2,'2026-11-16T23:59:30.351632+00:00','dataset opened','{"cap":{"delta":"1/1000000","epsilon":"1"},"dataset":"visits","format":1,"rows_per_person":1}','b33d86b89024cfd688042281dcf79473e1d5f4d829ff73d6b9d759a1194ac12f','cc183f1d89a130e2b9148b73d2a48b36c01b260e30cc6c3368e5a6f891b0ea00');
INSERT INTO "eremite_events" VALUES(3,'2026-11-16T23:59:30.352238+00:00','cap set','{"analyst":"alice","cap":{"delta":"0","epsilon":"1"},"dataset":"patients","format":1,"reason":"half of it is hers"}','cc183f1d89a130e2b9148b73d2a48b36c01b260e30cc6c3368e5a6f891b0ea00','e892f9cf41ca3bc43a0799d00b1244d1fd37c65ad4c7e76955006d63d9e267b7');
INSERT INTO "eremite_events" VALUES(4,'2026-11-16T23:59:30.352745+00:00','charged','{"analyst":"alice","cost":{"delta":"0","epsilon":"1/5","rho":"1/50","rho_delta":"0"},"dataset":"patients","fingerprint":"f","format":1,"request_id":"march","words":"count of outliers in bmi"}','e892f9cf41ca3bc43a0799d00b1244d1fd37c65ad4c7e76955006d63d9e267b7','a48537c8113ef862dabe82631c50d9a220dcd90e565c8dadfb24a5dbcfb348d7');
INSERT INTO "eremite_events" VALUES(5,'2026-11-16T23:59:30.352745+00:00','released','{"analyst":"alice","dataset":"patients","format":1,"release":"{\"value\": 12}","request_id":"march"}','a48537c8113ef862dabe82631c50d9a220dcd90e565c8dadfb24a5dbcfb348d7','3dd7b9b12a7ae48fa7a7591621b0039b52386acf9e98c05baf91b62d601ff562');
INSERT INTO "eremite_events" VALUES(6,'2026-11-16T23:59:30.353843+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','3dd7b9b12a7ae48fa7a7591621b0039b52386acf9e98c05baf91b62d601ff562','8d2d115e0fd4eae38ef6b9adc861d243d7203217bdb79538888298f7702fd493');
INSERT INTO "eremite_events" VALUES(7,'2026-11-16T23:59:30.354377+00:00','charged','{"analyst":"bob","cost":{"delta":"1/100000000","epsilon":"1/2","rho":"1/8","rho_delta":"1/100000000"},"dataset":"visits","fingerprint":"f","format":1,"request_id":"lost","words":"count of outliers in age"}','8d2d115e0fd4eae38ef6b9adc861d243d7203217bdb79538888298f7702fd493','18111d6f9109e92294daef90f79a3c39d58356d8cf9752d69d98f5c83c3288dc');
CREATE TABLE eremite_head (
            version INTEGER NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL);
INSERT INTO "eremite_head" VALUES(1,7,'18111d6f9109e92294daef90f79a3c39d58356d8cf9752d69d98f5c83c3288dc');
CREATE TABLE eremite_requests (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            charged BIGINT NOT NULL, released BIGINT, PRIMARY KEY (dataset, analyst, request_id));
INSERT INTO "eremite_requests" VALUES('patients','alice','march','f',4,5);
INSERT INTO "eremite_requests" VALUES('visits','bob','lost','f',7,NULL);
CREATE TABLE eremite_standings (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, cap_epsilon TEXT, cap_delta TEXT,
            epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL, rho_delta TEXT NOT NULL,
            charges BIGINT NOT NULL, sums_only BOOLEAN NOT NULL, rows_per_person BIGINT,
            PRIMARY KEY (dataset, analyst));
INSERT INTO "eremite_standings" VALUES('patients','','2','0','1/5','0','1/50','0',1,0,3);
INSERT INTO "eremite_standings" VALUES('visits','','1','1/1000000','1/2','1/100000000','1/8','1/100000000',1,0,1);
INSERT INTO "eremite_standings" VALUES('patients','alice','1','0','1/5','0','1/50','0',1,0,NULL);
INSERT INTO "eremite_standings" VALUES('visits','bob',NULL,NULL,'1/2','1/100000000','1/8','1/100000000',1,0,NULL);
COMMIT;
